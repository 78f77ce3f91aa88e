import type { Message } from '../../lib/protobuf/decode.js';
import { KeyParts, SeriesHash, sortedAttributes } from '../cumulative/identity.js';
import { listOf, objectOf, textOf } from './tree.js';

const hash = new SeriesHash();

/** Hashes the attributes of a data point, as they are: senders do not change the type of a value. */
export function hashAttributes(attributes: unknown): number {
  hash.clear();
  for (const attribute of listOf(attributes)) {
    const { key, value } = objectOf(attribute);
    if (typeof key === 'string') addAttribute(key, objectOf(value));
  }
  return hash.value;
}

function addAttribute(key: string, value: Message): void {
  if (typeof value['stringValue'] === 'string') hash.add(key, 's', value['stringValue']);
  else if (value['intValue'] !== undefined) hash.add(key, 'i', String(value['intValue']));
  else if (value['boolValue'] !== undefined) hash.add(key, 'b', String(value['boolValue']));
  else if (value['doubleValue'] !== undefined) hash.add(key, 'd', String(value['doubleValue']));
  else hash.add(key, 'o', JSON.stringify(value));
}

/** The parts of keys that all scopes of a resource have in common, and those that all metrics of a scope have. */
export type SharedParts = () => KeyParts;

/** Each is hashed when a cumulative point first asks for it: deltas have no series. */
export function partsOfResource(resource: unknown): SharedParts {
  return once(() => KeyParts.from(sortedAttributes(listOf(objectOf(resource)['attributes']))));
}

export function partsOfScope(ofResource: SharedParts, scope: unknown): SharedParts {
  return once(() => {
    const { name, version, attributes } = objectOf(scope);
    return ofResource().and([
      textOf(name) ?? '',
      textOf(version) ?? '',
      sortedAttributes(listOf(attributes)),
    ]);
  });
}

/** Returns the key of the group of a metric, as of groupKeyOf(). */
export function groupOfMetric(ofScope: SharedParts, metric: Message, kind: string): () => string {
  return once(() => ofScope().keyWith([textOf(metric['name']) ?? '', textOf(metric['unit']) ?? '', kind]));
}

function once<Value extends object | string>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

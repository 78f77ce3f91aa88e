import type { Message } from '../../lib/protobuf/decode.js';
import { groupKeyOf, SeriesHash, sortedAttributes } from '../cumulative/identity.js';
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

/** Returns the key of the group of a metric, which is hashed when it is first asked for. */
export function groupOfMetric(
  { resource, scope }: { resource: unknown; scope: unknown },
  metric: Message,
  kind: string,
): () => string {
  let key: string | undefined;
  return () => {
    if (key !== undefined) return key;
    const { name, version, attributes } = objectOf(scope);
    key = groupKeyOf([
      sortedAttributes(listOf(objectOf(resource)['attributes'])),
      [textOf(name) ?? '', textOf(version) ?? '', sortedAttributes(listOf(attributes))],
      [textOf(metric['name']) ?? '', textOf(metric['unit']) ?? '', kind],
    ]);
    return key;
  };
}

import type { Batch } from '../read/batch.js';
import { type Drops, noteDrop } from '../read/guard.js';
import { noteServiceLimit } from '../read/unread.js';
import type { NameRegistry } from './name-registry.js';
import type { Source } from './names.js';
import type { PageNames } from './page-names.js';
import type { Refused, Registration } from './until-named.js';

/**
 * Gives the names that were not known when a batch was read to its events. Drops the events whose names the page has no
 * room for. The events of a reporter without room for its service count for the reporter, because a known reporter is
 * never refused. Names in `refused` are not asked for again. Changes nothing and returns the registration that the batch needs first, when there is one.
 */
export function nameEvents(
  registry: NameRegistry,
  names: PageNames,
  batch: Batch,
  drops: Drops,
  { refused, reporter }: { refused: Refused | undefined; reporter?: Source },
): Registration | undefined {
  const wanted = { endpoints: new Set<string>(), services: new Set<string>() };
  for (let i = 0; i < batch.length; i += 1) {
    const endpoint = batch.unknownEndpoint[i];
    const service = batch.unknownSource[i];
    if (endpoint !== undefined && !refused?.endpoints.has(endpoint)) wanted.endpoints.add(endpoint);
    if (service !== undefined && !refused?.services.has(service)) wanted.services.add(service);
  }
  if (registry.mayRegister(names, wanted)) return { register: () => registry.register(names, wanted) };
  batch.filter((i) => {
    const endpoint = batch.unknownEndpoint[i];
    const service = batch.unknownSource[i];
    if (service !== undefined) batch.source[i] = names.services.get(service) ?? reporter;
    if (endpoint !== undefined) batch.endpoint[i] = names.endpoints.get(endpoint);
    if (batch.source[i] === undefined) return noteDrop(drops, 'service_limit', service ?? '');
    if (batch.endpoint[i] === undefined) return noteDrop(drops, 'endpoint_limit', endpoint ?? '');
    return undefined;
  });
  const isOverLimit = batch.unknownSource[0] !== undefined && batch.source[0] === reporter;
  if (batch.length > 0 && isOverLimit) noteServiceLimit(batch);
  return undefined;
}

let batchNumber = 0;

/** Returns the sources of the events of a batch, each once. */
export function distinctSources(batch: Batch): Source[] {
  batchNumber += 1;
  const sources: Source[] = [];
  for (let i = 0; i < batch.length; i += 1) {
    const source = batch.source[i];
    if (source === undefined || source.seenInBatch === batchNumber) continue;
    source.seenInBatch = batchNumber;
    sources.push(source);
  }
  return sources;
}

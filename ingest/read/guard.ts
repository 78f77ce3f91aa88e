import { limits } from '../../contract/limits.js';
import type { Batch, Rejection } from './batch.js';

/** The events that a limit dropped: their number and at most three names, in the order of the events. */
export type Dropped = { count: number; names: string[] };

export type Drops = Map<Rejection, Dropped>;

const namesMax = 3;

/** Counts a dropped event. Returns its reason. */
export function noteDrop(drops: Drops, reason: Rejection, name: string): Rejection {
  const dropped = drops.get(reason) ?? { count: 0, names: [] };
  dropped.count += 1;
  if (dropped.names.length < namesMax && !dropped.names.includes(name)) dropped.names.push(name);
  drops.set(reason, dropped);
  return reason;
}

let batchNumber = 0;

/**
 * Drops the events whose endpoint is not among the first 200 distinct ones of their service in this batch. A batch with
 * at most 200 distinct endpoints in all, the usual case, costs a comparison for each event.
 */
export function guardEndpointsPerBatch(batch: Batch, drops: Drops): void {
  if (countDistinctEndpoints(batch) <= limits.endpointsPerBatchAndService) return;
  const endpointsOf = new Map<unknown, Set<unknown>>();
  batch.filter((i) => {
    const source = batch.source[i] ?? batch.unknownSource[i];
    const endpoint = batch.endpoint[i]?.text ?? batch.unknownEndpoint[i] ?? '';
    const endpoints = endpointsOf.get(source) ?? new Set();
    endpointsOf.set(source, endpoints);
    if (endpoints.has(endpoint)) return undefined;
    if (endpoints.size < limits.endpointsPerBatchAndService) {
      endpoints.add(endpoint);
      return undefined;
    }
    return noteDrop(drops, 'endpointsPerBatch', endpoint);
  });
}

function countDistinctEndpoints(batch: Batch): number {
  batchNumber += 1;
  let distinct = 0;
  let unknown: Set<string> | undefined;
  for (let i = 0; i < batch.length; i += 1) {
    const name = batch.endpoint[i];
    if (name !== undefined) {
      if (name.seenInBatch === batchNumber) continue;
      name.seenInBatch = batchNumber;
      distinct += 1;
    } else {
      unknown ??= new Set();
      unknown.add(batch.unknownEndpoint[i] ?? '');
    }
  }
  return distinct + (unknown?.size ?? 0);
}

const sentences: Partial<Record<Rejection, string>> = {
  endpointsPerBatch: `more than ${limits.endpointsPerBatchAndService} distinct endpoints of one service in a batch`,
  methodsPerPage: 'more distinct methods than HTTP has',
  endpointsPerPage: `more than ${limits.endpointsPerPage.toLocaleString('en')} distinct endpoints on this status page`,
  sourcesPerPage: `more than ${limits.sourcesPerPage.toLocaleString('en')} services and reporters on this status page`,
};

/** Returns the acknowledgement's warning: each limit, how many events it dropped, and up to three names. */
export function describeDrops(drops: Drops): string | undefined {
  const parts: string[] = [];
  for (const [reason, { count, names }] of drops) {
    const list = names.length === namesMax ? `${names.join(', ')}, …` : names.join(', ');
    const which = list === '' ? '' : ` (${list})`;
    parts.push(
      `${count} ${count === 1 ? 'event' : 'events'} dropped: ${sentences[reason] ?? reason}${which}.`,
    );
  }
  return parts.length === 0 ? undefined : parts.join(' ');
}

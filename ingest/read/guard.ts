import { limits } from '../../contract/limits.js';
import type { RejectionReason } from '../../contract/rejections.js';
import { describeSent } from '../../lib/mistakes/describe-sent.js';
import type { Batch, Refusal } from './batch.js';

/** The events that a limit dropped: their number and at most three names, in the order of the events. */
export type Dropped = { count: number; names: string[] };

/** A reason that is a limit: the acknowledgement warns of it. */
export type LimitReason = Extract<
  RejectionReason,
  'method_limit' | 'endpoint_limit_per_batch' | 'endpoint_limit' | 'service_limit' | 'reporter_limit'
>;

export type Drops = Map<LimitReason, Dropped>;

const namesMax = 3;

/** Counts a dropped event. */
export function noteDrop(drops: Drops, reason: LimitReason, name: string): Refusal {
  const dropped = drops.get(reason) ?? { count: 0, names: [] };
  dropped.count += 1;
  if (dropped.names.length < namesMax && !dropped.names.includes(name)) dropped.names.push(name);
  drops.set(reason, dropped);
  return { reason, describe: () => describeDrop(reason, name) };
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
    return noteDrop(drops, 'endpoint_limit_per_batch', endpoint);
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

const manySources = `more than ${limits.sourcesPerPage.toLocaleString('en')} services and reporters on this status page`;

const excesses: Readonly<Record<LimitReason, string>> = {
  endpoint_limit_per_batch: `more than ${limits.endpointsPerBatchAndService} distinct endpoints of one service in a batch`,
  method_limit: 'more distinct methods than HTTP has',
  endpoint_limit: `more than ${limits.endpointsPerPage.toLocaleString('en')} distinct endpoints on this status page`,
  service_limit: manySources,
  reporter_limit: manySources,
};

const templates = 'Send route templates, such as "/cart/:id", in place of paths with ids';
const freed = `the page deletes names ${limits.eventRetentionDays} days after their last event`;

const remedies: Readonly<Record<LimitReason, string>> = {
  endpoint_limit_per_batch: `${templates}.`,
  method_limit: 'Send the method of the request.',
  endpoint_limit: `${templates}; ${freed}.`,
  service_limit: `Send the name of what is deployed, not of a host or pod; ${freed}.`,
  reporter_limit: 'Send a reporter id that stays the same when the process restarts.',
};

const nouns: Readonly<Record<LimitReason, string>> = {
  endpoint_limit_per_batch: 'endpoint',
  method_limit: 'method',
  endpoint_limit: 'endpoint',
  service_limit: 'service',
  reporter_limit: 'reporter',
};

function describeDrop(reason: LimitReason, name: string): string {
  return `There would be ${excesses[reason]} with ${describeSent(name, nouns[reason])}. ${remedies[reason]}`;
}

/** Returns the acknowledgement's warning: each limit, how many events it dropped, and up to three names. */
export function describeDrops(drops: Drops): string | undefined {
  const parts: string[] = [];
  for (const [reason, { count, names }] of drops) {
    const list = names.length === namesMax ? `${names.join(', ')}, …` : names.join(', ');
    const which = list === '' ? '' : ` (${list})`;
    parts.push(`${count} ${count === 1 ? 'event' : 'events'} dropped: ${excesses[reason]}${which}.`);
  }
  return parts.length === 0 ? undefined : parts.join(' ');
}

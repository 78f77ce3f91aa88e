import type { Clock } from '../contract/clock.js';
import { ApiError } from '../contract/errors.js';
import type { Acknowledgement, Reporter, ReporterAcknowledgement } from '../contract/events.js';
import type { PageId } from '../contract/ids.js';
import { limits } from '../contract/limits.js';
import type { Batch, Rejection } from './batch.js';
import type { GroupCommit } from './group-commit.js';
import { type Drops, describeDrops, guardEndpointsPerBatch, noteDrop } from './guard.js';
import type { NameRegistry } from './name-registry.js';
import type { Source } from './names.js';
import { normalize, windowV1, windowV2 } from './normalize.js';

export type IngestMetrics = {
  accepted(events: number): void;
  rejected(reason: Rejection, events: number): void;
};

type Deps = { registry: NameRegistry; commit: GroupCommit; clock: Clock; metrics: IngestMetrics };

export type Ingest = ReturnType<typeof createIngest>;

/**
 * The way of a batch: normalise, guard, register what is new, collapse, commit, acknowledge. Each step is a
 * file of this folder; every event ends as accepted or as rejected with one reason.
 */
export function createIngest(deps: Deps) {
  const { registry, commit, clock } = deps;

  /** A batch whose source is in each event (v1). */
  async function acceptEvents(pageId: PageId, events: readonly unknown[]): Promise<Acknowledgement> {
    refuseTooMany(events);
    const now = clock.now();
    const batch = normalize(events, registry.names(pageId), windowV1(now));
    const drops: Drops = new Map();
    await guard(pageId, batch, drops);
    const rows = await store(batch, new Set(batch.source.slice(0, batch.length)), now);
    return acknowledge(batch, rows, batch.length > 0 ? 1 : 0, drops);
  }

  /** A reporter's batch (v2); an empty one is a sign of life. */
  async function acceptReport(
    pageId: PageId,
    reporter: Reporter,
    events: readonly unknown[],
  ): Promise<ReporterAcknowledgement> {
    refuseTooMany(events);
    const now = clock.now();
    const source = await registry.reporter(pageId, reporter);
    if (source === undefined) return refuseReporter(reporter, events.length);
    const batch = normalize(events, registry.names(pageId), windowV2(now), source);
    const drops: Drops = new Map();
    await guard(pageId, batch, drops);
    const rows = await store(batch, [source], now);
    return { ...acknowledge(batch, rows, 1, drops), heartbeat: true, reporterId: reporter.reporterId };
  }

  async function guard(pageId: PageId, batch: Batch, drops: Drops): Promise<void> {
    guardEndpointsPerBatch(batch, drops);
    if (batch.hasUnknown) await registerUnknown(pageId, batch, drops);
  }

  /** Gives every event its names; those whose names the page has no room for are dropped. */
  async function registerUnknown(pageId: PageId, batch: Batch, drops: Drops): Promise<void> {
    const names = registry.names(pageId);
    const wanted = { endpoints: new Set<string>(), services: new Set<string>() };
    for (let i = 0; i < batch.length; i += 1) {
      const [endpoint, service] = [batch.unknownEndpoint[i], batch.unknownSource[i]];
      if (endpoint !== undefined) wanted.endpoints.add(endpoint);
      if (service !== undefined) wanted.services.add(service);
    }
    await registry.register(names, wanted);
    batch.filter((i) => {
      const [endpoint, service] = [batch.unknownEndpoint[i], batch.unknownSource[i]];
      if (service !== undefined) batch.source[i] = names.services.get(service);
      if (endpoint !== undefined) batch.endpoint[i] = names.endpoints.get(endpoint);
      if (batch.source[i] === undefined) {
        noteDrop(drops, 'sourcesPerPage', service ?? '');
        return 'sourcesPerPage';
      }
      if (batch.endpoint[i] === undefined) {
        noteDrop(drops, 'endpointsPerPage', endpoint ?? '');
        return 'endpointsPerPage';
      }
      return undefined;
    });
  }

  async function store(batch: Batch, callers: Iterable<Source | undefined>, now: number): Promise<number> {
    const known = [...callers].filter((source) => source !== undefined);
    return known.length === 0 ? 0 : await commit.add(batch, known, now);
  }

  function acknowledge(batch: Batch, rows: number, statements: number, drops: Drops): Acknowledgement {
    deps.metrics.accepted(batch.length);
    for (const [reason, count] of batch.rejections) deps.metrics.rejected(reason, count);
    const warning = describeDrops(drops);
    return {
      accepted: batch.length,
      rejected: batch.rejected,
      rows,
      statements,
      ...(warning !== undefined && { warning }),
    };
  }

  function refuseReporter(reporter: Reporter, events: number): ReporterAcknowledgement {
    const drops: Drops = new Map([['sourcesPerPage', { count: events, names: [reporter.reporterId] }]]);
    deps.metrics.rejected('sourcesPerPage', events);
    return {
      accepted: 0,
      rejected: events,
      rows: 0,
      statements: 0,
      warning: describeDrops(drops) ?? '',
      heartbeat: false,
      reporterId: reporter.reporterId,
    };
  }

  return { acceptEvents, acceptReport };
}

function refuseTooMany(events: readonly unknown[]): void {
  if (events.length > limits.eventsPerBatch) throw new ApiError('tooManyEvents');
}

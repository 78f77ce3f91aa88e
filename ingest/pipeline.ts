import type { Acknowledgement, Reporter, ReporterAcknowledgement } from '../contract/events.js';
import { type BatchRejection, type RejectionReason, rejectionLimits } from '../contract/rejections.js';
import type { Clock } from '../lib/clock.js';
import type { PageId } from '../lib/ids.js';
import type { Commit, Committed, WrittenTo } from './commit/commit.js';
import { createTurns } from './commit/take-turns.js';
import type { NameRegistry } from './names/name-registry.js';
import type { Source } from './names/names.js';
import type { PageNames } from './names/page-names.js';
import { Batch, type Rejected } from './read/batch.js';
import { type Drops, describeDrops, guardEndpointsPerBatch, noteDrop } from './read/guard.js';
import { windowV1, windowV2 } from './read/normalize.js';
import { parseReporter } from './read/parse-reporter.js';
import { readBatch } from './read/read-batch.js';
import type { RejectionCounts } from './rejections/count-rejections.js';

export type IngestMetrics = {
  accepted(events: number): void;
  rejected(reason: RejectionReason, events: number): void;
};

/** The rejected events of one batch, by their reason. */
export type Rejections = ReadonlyMap<RejectionReason, Rejected>;

type Deps = {
  registry: NameRegistry;
  /** Returns the commit to the store of a page's events. */
  commitOf(pageId: PageId): Commit;
  clock: Clock;
  metrics: IngestMetrics;
  /** Counts the rejected events of each page. */
  rejections: Pick<RejectionCounts, 'add'>;
};

/** A body as it came in. */
type Incoming = {
  pageId: PageId;
  body: Buffer;
  /** Milliseconds since the epoch. */
  at: number;
  /** When the sender gets an answer in any case, as of performance.now(). Nothing may be stored after that. */
  answerBy: number;
};

/** How long a body may be worked on. `leave` is as in `Turns.take`. */
type Time = Pick<Incoming, 'answerBy'> & { leave?: () => AbortSignal };

/** What the answer needs of a batch: the batch itself is reused for the next request. */
type Summary = {
  accepted: number;
  rejected: number;
  rejections: Rejections;
  warning: string | undefined;
};

/** A batch that was handed to the commit; `stored` resolves to `undefined` when it left nothing to store. */
type Handed = { stored: Promise<Committed | undefined>; summary: Summary };

export type Ingest = ReturnType<typeof createIngest>;

/** For a batch whose store is known to be unreachable, by where it waits. */
const waitingWarnings: Record<Exclude<WrittenTo, 'store'>, string> = {
  buffer: 'The event store cannot be reached: the batch is in the delivery buffer, and is stored from there.',
  log: 'The event store cannot be reached: the batch is in the log, and is stored from there.',
};

/** Empty batches kept for the next requests. More are in use only while names are being registered. */
const spareBatchesMax = 16;

/**
 * Takes a batch through its steps: wait for its turn, read and normalise, guard, register new names, collapse, commit,
 * acknowledge. Each step is a file of this folder. Every event ends as accepted, or as rejected with one reason.
 */
export function createIngest(deps: Deps) {
  const { registry, commitOf, clock } = deps;
  const turns = createTurns({ clock });
  const spare: Batch[] = [];

  /** Gives the batch to the next request: its content has been copied into what becomes durable. */
  function giveBack(batch: Batch): void {
    batch.clear();
    if (spare.length < spareBatchesMax) spare.push(batch);
  }

  /**
   * Waits for nothing while all names are known, which is the usual case: requests that arrive together then share one
   * batch, whose columns take 0.1 MB.
   */
  async function handEvents(incoming: Incoming): Promise<Handed> {
    const batch = spare.pop() ?? new Batch();
    try {
      const names = registry.names(incoming.pageId);
      readBatch(incoming.body, names, windowV1(incoming.at), 1, batch);
      const drops: Drops = new Map();
      guardEndpointsPerBatch(batch, drops);
      if (batch.hasUnknown) await registerUnknown(names, batch, drops);
      return hand(incoming, batch, distinctSources(batch), drops);
    } finally {
      giveBack(batch);
    }
  }

  async function handReport(incoming: Incoming): Promise<Handed & { reporter: Reporter }> {
    const { pageId, body, at } = incoming;
    const batch = spare.pop() ?? new Batch();
    try {
      const names = registry.names(pageId);
      const reporter = parseReporter(readBatch(body, names, windowV2(at), 2, batch).reporter);
      const source = registry.findReporter(names, reporter) ?? (await registry.reporter(pageId, reporter));
      if (source === undefined) return { reporter, ...refuseAll(batch, reporter) };
      batch.source.fill(source, 0, batch.length);
      const drops: Drops = new Map();
      guardEndpointsPerBatch(batch, drops);
      if (batch.hasUnknown) await registerUnknown(names, batch, drops);
      return { reporter, ...hand(incoming, batch, [source], drops) };
    } finally {
      giveBack(batch);
    }
  }

  async function acceptEventsNow(incoming: Incoming, endTurn: () => void): Promise<Acknowledgement> {
    const { stored, summary } = await handEvents(incoming);
    endTurn();
    return acknowledge(incoming, undefined, summary, await stored);
  }

  async function acceptReportNow(incoming: Incoming, endTurn: () => void): Promise<ReporterAcknowledgement> {
    const { reporter, stored, summary } = await handReport(incoming);
    endTurn();
    const { reporterId } = reporter;
    const committed = await stored;
    return {
      ...acknowledge(incoming, reporterId, summary, committed),
      heartbeat: committed !== undefined,
      reporterId,
    };
  }

  /** Gives every event its names. Drops the events whose names the page has no room for. */
  async function registerUnknown(names: PageNames, batch: Batch, drops: Drops): Promise<void> {
    const wanted = { endpoints: new Set<string>(), services: new Set<string>() };
    for (let i = 0; i < batch.length; i += 1) {
      const endpoint = batch.unknownEndpoint[i];
      const service = batch.unknownSource[i];
      if (endpoint !== undefined) wanted.endpoints.add(endpoint);
      if (service !== undefined) wanted.services.add(service);
    }
    await registry.register(names, wanted);
    batch.filter((i) => {
      const endpoint = batch.unknownEndpoint[i];
      const service = batch.unknownSource[i];
      if (service !== undefined) batch.source[i] = names.services.get(service);
      if (endpoint !== undefined) batch.endpoint[i] = names.endpoints.get(endpoint);
      if (batch.source[i] === undefined) return noteDrop(drops, 'service_limit', service ?? '');
      if (batch.endpoint[i] === undefined) return noteDrop(drops, 'endpoint_limit', endpoint ?? '');
      return undefined;
    });
  }

  /** Hands the batch to the commit, which has copied what it needs when this returns. */
  function hand(
    { pageId, at: arrival, answerBy }: Incoming,
    batch: Batch,
    callers: readonly Source[],
    drops: Drops,
  ): Handed {
    // Without an event left, no source called.
    const stored =
      callers.length === 0
        ? Promise.resolve(undefined)
        : commitOf(pageId).add(batch, callers, { pageId, arrival, answerBy });
    return { stored, summary: summarise(batch, drops) };
  }

  /** Refuses a new reporter on a full page: neither its events nor its call are stored. */
  function refuseAll(batch: Batch, reporter: Reporter): Handed {
    const drops: Drops = new Map();
    batch.filter(() => noteDrop(drops, 'reporter_limit', reporter.reporterId));
    if (drops.size === 0) drops.set('reporter_limit', { count: 0, names: [reporter.reporterId] });
    return { stored: Promise.resolve(undefined), summary: summarise(batch, drops) };
  }

  function summarise(batch: Batch, drops: Drops): Summary {
    const { rejected, length: accepted } = batch;
    const overMethods = batch.rejections.get('method_limit');
    if (overMethods !== undefined) drops.set('method_limit', { count: overMethods.count, names: [] });
    return { accepted, rejected, rejections: new Map(batch.rejections), warning: describeDrops(drops) };
  }

  /** `caller` is the reporter, if there is one; `committed` is `undefined` for a batch that left nothing to store. */
  function acknowledge(
    { pageId, at }: Incoming,
    caller: string | undefined,
    summary: Summary,
    committed: Committed | undefined,
  ): Acknowledgement {
    const { accepted, rejected, rejections } = summary;
    deps.metrics.accepted(accepted);
    for (const [reason, { count }] of rejections) deps.metrics.rejected(reason, count);
    if (rejections.size > 0) deps.rejections.add(pageId, rejections, { at, caller });
    const warning = [summary.warning, describeWaiting(committed)].filter(Boolean).join(' ');
    return {
      accepted,
      rejected,
      rows: committed?.rows ?? 0,
      statements: committed === undefined || committed.isWaiting ? 0 : 1,
      ...(warning !== '' && { warning }),
      ...(rejections.size > 0 && { rejections: listRejections(rejections) }),
    };
  }

  return {
    /** Accepts a body whose events name their service (v1). */
    acceptEvents(pageId: PageId, body: Buffer, { answerBy, leave }: Time): Promise<Acknowledgement> {
      const incoming = { pageId, body, at: clock.now(), answerBy };
      return turns.take(pageId, body.length, (endTurn) => acceptEventsNow(incoming, endTurn), leave);
    },
    /** Accepts a reporter's body (v2). Without events it is a sign of life. */
    acceptReport(pageId: PageId, body: Buffer, { answerBy, leave }: Time): Promise<ReporterAcknowledgement> {
      const incoming = { pageId, body, at: clock.now(), answerBy };
      return turns.take(pageId, body.length, (endTurn) => acceptReportNow(incoming, endTurn), leave);
    },
  };
}

function describeWaiting(committed: Committed | undefined): string | undefined {
  if (!committed?.isWaiting || committed.writtenTo === 'store') return undefined;
  return waitingWarnings[committed.writtenTo];
}

/** The most frequent reasons first. */
function listRejections(rejections: Rejections): BatchRejection[] {
  return [...rejections]
    .map(([reason, { count, firstIndex, message }]) => ({ reason, count, firstIndex, message }))
    .sort((a, b) => b.count - a.count || a.firstIndex - b.firstIndex)
    .slice(0, rejectionLimits.perAcknowledgement);
}

function distinctSources(batch: Batch): Source[] {
  const sources = new Set<Source>();
  let last: Source | undefined;
  for (let i = 0; i < batch.length; i += 1) {
    const source = batch.source[i];
    if (source !== undefined && source !== last) sources.add(source);
    last = source;
  }
  return [...sources];
}

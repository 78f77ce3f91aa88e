import type { Acknowledgement, Reporter, ReporterAcknowledgement } from '../contract/events.js';
import type { RejectionReason } from '../contract/rejections.js';
import type { Clock } from '../lib/clock.js';
import type { PageId } from '../lib/ids.js';
import { type Describe, describe, describeFor, type Summary, summarise } from './acknowledge.js';
import { batchKeyOf, parseBatchId } from './batch-ids/batch-id.js';
import type { Arrival, Commit, Committed } from './commit/commit.js';
import { createTurns, type Turn } from './commit/take-turns.js';
import type { NameRegistry } from './names/name-registry.js';
import type { Source } from './names/names.js';
import type { PageNames } from './names/page-names.js';
import { describeOtlpFault } from './otlp/describe-fault.js';
import type { LeftOutReason } from './otlp/left-out.js';
import { collapsePoints, type OtlpForm, type OtlpRead, readOtlp, type Slice } from './otlp/read-otlp.js';
import type { Signal } from './otlp/tree.js';
import type { PostgresCommit } from './postgres/postgres-commit.js';
import { Batch } from './read/batch.js';
import { type Drops, guardEndpointsPerBatch, noteDrop } from './read/guard.js';
import { normalize, windowV1, windowV2 } from './read/normalize.js';
import { parseReporter } from './read/parse-reporter.js';
import { readBatch } from './read/read-batch.js';
import { noteServiceLimit } from './read/unread.js';
import type { RejectionCounts } from './rejections/count-rejections.js';

export type IngestMetrics = {
  accepted(events: number): void;
  /** Counts what OTLP brings besides requests that count. */
  ignored(signal: Signal, counts: ReadonlyMap<LeftOutReason, number>): void;
  rejected(reason: RejectionReason, events: number): void;
  /** Counts a batch with events of which something was not read. */
  unread(): void;
};

type Deps = {
  registry: NameRegistry;
  /** Returns the commit to the store of a page's events. */
  commitOf(pageId: PageId): Commit;
  /** Returns the commit to the same store for batches that have an id. */
  postgresCommitOf(pageId: PageId): PostgresCommit;
  clock: Clock;
  metrics: IngestMetrics;
  /** Counts the rejected events of each page. */
  rejections: Pick<RejectionCounts, 'add' | 'addUnread'>;
};

/** A body as it came in. */
type Incoming = Arrival & { body: Buffer };

/** How long a body may be worked on. `leave` is as in `Turns.take`. */
type Time = Pick<Incoming, 'answerBy'> & { leave?: () => AbortSignal };

/** The names that a batch came with, as far as it has them. */
type Sent = { batchId: string | undefined; reporterId: string | undefined };

/** A batch that was handed to the commit. `acknowledged` is for the batch of the same id when there was one before. */
type Handed<Answer> = {
  acknowledged: Promise<{ acknowledgement: Answer; isDuplicate: boolean }>;
  summary: Summary;
  /** The reporter, if there is one. */
  caller: string | undefined;
};

/**
 * The outcome for the spans or data points of a body. `message` says why some were rejected, or with none of them what in
 * the body is probably meant to count.
 */
export type OtlpAcknowledgement = { rejected: number; message: string | undefined };

export type Ingest = ReturnType<typeof createIngest>;

/** Empty batches kept for the next requests. More are in use only while names are being registered. */
const spareBatchesMax = 16;

/**
 * Takes a batch through its steps: wait for its turn, read and normalise, guard, register new names, collapse, commit,
 * acknowledge. Each step is a file of this folder. Every event ends as accepted, or as rejected with one reason.
 */
export function createIngest(deps: Deps) {
  const { registry, commitOf, postgresCommitOf, clock } = deps;
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
  async function handEvents(incoming: Incoming): Promise<Handed<Acknowledgement>> {
    const batch = spare.pop() ?? new Batch();
    try {
      const names = registry.names(incoming.pageId);
      const envelope = readBatch(incoming.body, names, windowV1(incoming.at), 1, batch);
      const sent = { batchId: parseBatchId(envelope.batchId), reporterId: undefined };
      const drops: Drops = new Map();
      guardEndpointsPerBatch(batch, drops);
      if (batch.hasUnknown) await registerUnknown(names, batch, drops);
      return hand(incoming, sent, { batch, callers: distinctSources(batch), drops }, describe);
    } finally {
      giveBack(batch);
    }
  }

  async function handReport(incoming: Incoming): Promise<Handed<ReporterAcknowledgement>> {
    const { pageId, body, at } = incoming;
    const batch = spare.pop() ?? new Batch();
    try {
      const names = registry.names(pageId);
      const envelope = readBatch(body, names, windowV2(at), 2, batch);
      const { reporter, isStopping } = parseReporter(envelope.reporter);
      const { reporterId } = reporter;
      const sent = { batchId: parseBatchId(envelope.batchId), reporterId };
      const describeReport = describeFor(reporterId);
      const source = isStopping
        ? await registry.reporter(pageId, { ...reporter, stoppedAt: at })
        : (registry.findReporter(names, reporter) ?? (await registry.reporter(pageId, reporter)));
      const drops: Drops = new Map();
      if (source === undefined) {
        refuseAll(batch, reporter, drops);
        return hand(incoming, sent, { batch, callers: [], drops }, describeReport);
      }
      fileUnder(batch, names, { reporter, source });
      guardEndpointsPerBatch(batch, drops);
      if (batch.hasUnknown) await registerUnknown(names, batch, drops, source);
      return hand(incoming, sent, { batch, callers: [source], drops }, describeReport);
    } finally {
      giveBack(batch);
    }
  }

  async function acceptNow<Answer extends Acknowledgement>(
    incoming: Incoming,
    handing: Promise<Handed<Answer>>,
    endTurn: () => void,
  ): Promise<Answer> {
    const handed = await handing;
    endTurn();
    return finish(incoming, handed);
  }

  async function finish<Answer extends Acknowledgement>(
    incoming: Incoming,
    { acknowledged, summary, caller }: Handed<Answer>,
  ): Promise<Answer> {
    const { acknowledgement, isDuplicate } = await acknowledged;
    if (isDuplicate) return { ...acknowledgement, duplicate: true };
    count(incoming, caller, summary);
    return acknowledgement;
  }

  /**
   * Gives every event its names. Drops the events whose names the page has no room for; those of a reporter without room
   * for its service count for the reporter, because a known reporter is never refused.
   */
  async function registerUnknown(
    names: PageNames,
    batch: Batch,
    drops: Drops,
    reporter?: Source,
  ): Promise<void> {
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
      if (service !== undefined) batch.source[i] = names.services.get(service) ?? reporter;
      if (endpoint !== undefined) batch.endpoint[i] = names.endpoints.get(endpoint);
      if (batch.source[i] === undefined) return noteDrop(drops, 'service_limit', service ?? '');
      if (batch.endpoint[i] === undefined) return noteDrop(drops, 'endpoint_limit', endpoint ?? '');
      return undefined;
    });
    const isOverLimit = batch.unknownSource[0] !== undefined && batch.source[0] === reporter;
    if (batch.length > 0 && isOverLimit) noteServiceLimit(batch);
  }

  /** Hands the batch to the commit, which has copied what it needs when this returns. */
  function hand<Answer>(
    { pageId, at, answerBy }: Incoming,
    { batchId, reporterId }: Sent,
    { batch, callers, drops }: { batch: Batch; callers: readonly Source[]; drops: Drops },
    describeAs: Describe<Answer>,
  ): Handed<Answer> {
    const summary = summarise(batch, drops);
    const handed = { summary, caller: reporterId };
    const arrival = { pageId, at, answerBy };
    if (batchId !== undefined) {
      const identity = {
        key: batchKeyOf(reporterId, batchId),
        describe: (committed: Committed | undefined) => describeAs(summary, committed),
      };
      return { ...handed, acknowledged: postgresCommitOf(pageId).addOnce(batch, callers, arrival, identity) };
    }
    // Without an event left, no source called.
    const stored = callers.length === 0 ? undefined : commitOf(pageId).add(batch, callers, arrival);
    const acknowledged = Promise.resolve(stored).then((committed) => ({
      acknowledgement: describeAs(summary, committed),
      isDuplicate: false,
    }));
    return { ...handed, acknowledged };
  }

  /** Hands one slice of a body of OTLP to the commit. */
  async function handSlice(
    incoming: Incoming,
    signal: Signal,
    slice: Slice,
  ): Promise<Handed<Acknowledgement>> {
    const { pageId, at, answerBy } = incoming;
    const { batchId, events, points } = slice;
    const batch = spare.pop() ?? new Batch();
    try {
      const names = registry.names(pageId);
      normalize(events, names, windowV1(at), 1, batch, describeOtlpFault(signal));
      const drops: Drops = new Map();
      guardEndpointsPerBatch(batch, drops);
      if (batch.hasUnknown) await registerUnknown(names, batch, drops);
      const callers = distinctSources(batch);
      if (points === undefined)
        return hand(incoming, { batchId, reporterId: undefined }, { batch, callers, drops }, describe);
      const block = collapsePoints(batch, points);
      const summary = { ...summarise(batch, drops), accepted: block.events };
      const acknowledged = postgresCommitOf(pageId).addOnce(
        block,
        callers,
        { pageId, at, answerBy },
        { key: batchKeyOf(undefined, batchId), describe: (committed) => describe(summary, committed) },
      );
      return { acknowledged, summary, caller: undefined };
    } finally {
      giveBack(batch);
    }
  }

  async function acceptOtlpNow(incoming: Incoming, form: OtlpForm, turn: Turn): Promise<OtlpAcknowledgement> {
    const read = readOtlp(incoming.body, form, turn.charge);
    const handed: Handed<Acknowledgement>[] = [];
    for (const slice of read.slices) {
      const one = await handSlice(incoming, form.signal, slice);
      one.acknowledged.catch(() => {}); // When a later slice fails before this one is waited for.
      handed.push(one);
    }
    turn.end();
    const answers = await Promise.all(handed.map((one) => finish(incoming, one)));
    deps.metrics.ignored(form.signal, read.leftOut.counts);
    return joinAcknowledgements(read, answers);
  }

  /** Refuses a new reporter on a full page: neither its events nor its call are stored. */
  function refuseAll(batch: Batch, { reporterId }: Reporter, drops: Drops): void {
    batch.filter(() => noteDrop(drops, 'reporter_limit', reporterId));
    if (drops.size === 0) drops.set('reporter_limit', { count: 0, names: [reporterId] });
  }

  /** `caller` is the reporter, if there is one. */
  function count({ pageId, at }: Incoming, caller: string | undefined, summary: Summary): void {
    const { accepted, rejections, unread } = summary;
    deps.metrics.accepted(accepted);
    for (const [reason, { count }] of rejections) deps.metrics.rejected(reason, count);
    if (rejections.size > 0) deps.rejections.add(pageId, rejections, { at, caller });
    if (unread !== undefined) {
      deps.metrics.unread();
      deps.rejections.addUnread(pageId, unread, { at, caller });
    }
  }

  return {
    /** Accepts a body whose events name their service (v1). */
    acceptEvents(pageId: PageId, body: Buffer, { answerBy, leave }: Time): Promise<Acknowledgement> {
      const incoming = { pageId, body, at: clock.now(), answerBy };
      return turns.take(
        pageId,
        body.length,
        ({ end }) => acceptNow(incoming, handEvents(incoming), end),
        leave,
      );
    },
    /**
     * Accepts a body of OTLP. What is in it is stored once, also when the body is sent again within 15 minutes.
     *
     * @throws ServiceError as readOtlp(), and as the other forms of events do. Some slices of the body may be stored.
     */
    acceptOtlp(
      pageId: PageId,
      body: Buffer,
      form: OtlpForm,
      { answerBy, leave }: Time,
    ): Promise<OtlpAcknowledgement> {
      const incoming = { pageId, body, at: clock.now(), answerBy };
      return turns.take(pageId, body.length, (turn) => acceptOtlpNow(incoming, form, turn), leave);
    },
    /** Accepts a reporter's body (v2). Without events it is a sign of life. */
    acceptReport(pageId: PageId, body: Buffer, { answerBy, leave }: Time): Promise<ReporterAcknowledgement> {
      const incoming = { pageId, body, at: clock.now(), answerBy };
      return turns.take(
        pageId,
        body.length,
        ({ end }) => acceptNow(incoming, handReport(incoming), end),
        leave,
      );
    },
  };
}

/**
 * Gives the events of a reporter their source: the service that it names, otherwise the reporter. Looks the service up once
 * a batch, so an event costs the same with one and without.
 */
function fileUnder(
  batch: Batch,
  names: PageNames,
  { reporter: { service }, source }: { reporter: Reporter; source: Source },
): void {
  const known = service === undefined ? source : names.services.get(service);
  batch.source.fill(known, 0, batch.length);
  if (known !== undefined) return;
  batch.unknownSource.fill(service, 0, batch.length);
  batch.hasUnknown = true;
}

function joinAcknowledgements(
  { leftOut }: OtlpRead,
  answers: readonly Acknowledgement[],
): OtlpAcknowledgement {
  const rejected = answers.reduce((sum, answer) => sum + answer.rejected, leftOut.refused);
  const rejections = new Map<RejectionReason, string>();
  for (const { reason, message } of answers.flatMap((answer) => answer.rejections ?? []))
    if (!rejections.has(reason)) rejections.set(reason, message);
  const messages = [...leftOut.messages, ...rejections.values()];
  return { rejected, message: messages.length === 0 ? undefined : messages.join(' ') };
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

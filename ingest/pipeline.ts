import type { Acknowledgement, ReporterAcknowledgement } from '../contract/events.js';
import { bytesOf, type Chunks, createMemoryRelease } from '../lib/chunks.js';
import type { Clock } from '../lib/clock.js';
import type { PageId } from '../lib/ids.js';
import { createSeldomLog, type Log } from '../lib/log.js';
import type { Sql } from '../sql/open-postgres.js';
import { type AcceptOtlpDeps, handEvents, handReport, type Incoming } from './accept-events.js';
import { acceptOtlpNow, type OtlpAcknowledgement } from './accept-otlp.js';
import { acceptRemoteWriteNow, type WriteAcknowledgement } from './accept-remote-write.js';
import type { Arrival } from './commit/commit.js';
import type { Handed } from './hand-to-commit.js';
import type { OtlpForm } from './otlp/read-otlp.js';
import { createJoiner, type Joiner } from './prometheus/joiner.js';
import type { WriteVersion } from './prometheus/read-series.js';
import { createSpareBatches } from './read/batch.js';
import { createBatchReader } from './read/read-batch.js';
import { createTurns, type Turn } from './turns/take-turns.js';

/** How long a body may be worked on. `leave` is as in `Turns.take`. */
type Time = Pick<Arrival, 'answerBy'> & { leave?(): AbortSignal };

export type Ingest = ReturnType<typeof createIngest>;

/**
 * Takes a batch through its steps: wait for its turn, read and normalise, guard, register new names, collapse, commit,
 * acknowledge. Each step is a file of this folder. Every event ends as accepted, or as rejected with one reason.
 */
export function createIngest({
  clock,
  log,
  sql,
  ...more
}: Omit<AcceptOtlpDeps, 'spare' | 'reader'> & { sql: Sql; clock: Clock; log: Log }) {
  const trapped = createSeldomLog(log);
  const reader = createBatchReader({
    onTrap: (error) =>
      trapped.note(
        { error: String(error) },
        'The reader of events failed and was replaced; JSON.parse reads the body.',
      ),
  });
  const deps: AcceptOtlpDeps & { joiner: Joiner } = {
    ...{ ...more, reader, spare: createSpareBatches(), joiner: createJoiner(sql) },
  };
  const turns = createTurns({ clock });
  const release = createMemoryRelease();

  /** Does the work of a body when it is its turn. */
  function inTurn<Answer, Body extends Chunks | Buffer>(
    pageId: PageId,
    body: Body,
    time: Time,
    work: (incoming: Incoming<Body>, turn: Turn) => Promise<Answer>,
  ): Promise<Answer> {
    const incoming = { pageId, body, at: clock.now(), answerBy: time.answerBy };
    const bytes = Buffer.isBuffer(body) ? body.length : bytesOf(body);
    return turns.take(pageId, bytes, (turn) => work(incoming, turn), time);
  }

  /** Keeps nothing of the body once its events are in a block. */
  function answerOf<Answer>(
    handing: Handed<Answer> | Promise<Handed<Answer>>,
    incoming: Incoming,
    turn: Turn,
  ): Promise<Answer> {
    if (handing instanceof Promise) return handing.then((handed) => answerOf(handed, incoming, turn));
    release(incoming.body);
    turn.end();
    return handing.answer;
  }

  return {
    /** Accepts a body whose events name their service (v1). The memory of the body is freed when its events are in a block. */
    acceptEvents: (pageId: PageId, body: Chunks, time: Time): Promise<Acknowledgement> =>
      inTurn(pageId, body, time, (incoming, turn) => answerOf(handEvents(deps, incoming), incoming, turn)),
    /**
     * Accepts a body of OTLP. Its content is stored once, also when the body is sent again within 15 minutes.
     *
     * @throws ServiceError as readOtlp(), and as the other forms of events do. Some slices of the body may be stored.
     */
    acceptOtlp: (pageId: PageId, body: Buffer, form: OtlpForm, time: Time): Promise<OtlpAcknowledgement> =>
      inTurn(pageId, body, time, (incoming, turn) => acceptOtlpNow(deps, incoming, form, turn)),
    /**
     * Accepts a body of remote write, compressed. What its histograms have counted since their last points counts once.
     *
     * @throws ServiceError as acceptRemoteWriteNow(). Some of the body may count; sent again, it counts once.
     */
    acceptRemoteWrite: (
      pageId: PageId,
      body: Buffer,
      version: WriteVersion,
      time: Time,
    ): Promise<WriteAcknowledgement> =>
      inTurn(pageId, body, time, (incoming, turn) => acceptRemoteWriteNow(deps, incoming, version, turn)),
    /** Accepts a reporter's body (v2). Without events it is a sign of life. */
    acceptReport: (pageId: PageId, body: Chunks, time: Time): Promise<ReporterAcknowledgement> =>
      inTurn(pageId, body, time, (incoming, turn) => answerOf(handReport(deps, incoming), incoming, turn)),
  };
}

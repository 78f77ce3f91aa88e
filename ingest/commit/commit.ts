import type { PageId } from '../../lib/ids.js';
import type { Source } from '../names/names.js';
import type { Events } from './collapse.js';

/** From where a batch came, and when. */
export type Arrival = {
  pageId: PageId;
  /** Milliseconds since the epoch. */
  at: number;
  /** When its sender gets an answer in any case, as of performance.now(). Nothing may be stored after that. */
  answerBy: number;
};

export type Committed = {
  /** Rows that the batch collapsed into. */
  rows: number;
  /** Where the batch is safe, and from where it goes on to its store. */
  writtenTo: 'log' | 'postgres';
  /** Whether the store is known to be unreachable, so that the batch waits for it. */
  isWaiting: boolean;
};

export type CommitMetrics = {
  inserted(block: { rows: number; events: number; seconds: number }): void;
  insertFailed(): void;
};

/** Makes batches durable. A batch is acknowledged when its promise resolves. */
export type Commit = {
  /**
   * Adds a batch whose names are all registered, and the sources that called. Both have been copied when this returns.
   *
   * @throws ServiceError `storeBusy` or `shuttingDown` when the batch is not taken, `storeUnavailable` when it could not
   *   be written in time.
   */
  add(batch: Events, callers: readonly Source[], arrival: Arrival): Promise<Committed>;
  /**
   * Sends what the page's reads do not show yet, and resolves when the store has it, or after 2 s. Resolves to when the
   * oldest event arrived that still waits, in milliseconds since the epoch; `undefined` when none does.
   */
  settle(pageId: PageId): Promise<number | undefined>;
  /** Sends what waits and refuses the rest; resolves when nothing waits any more, or it is safe on the disk. */
  close(): Promise<void>;
  /** Events that are not acknowledged yet, for the metrics. */
  readonly waitingEvents: number;
};

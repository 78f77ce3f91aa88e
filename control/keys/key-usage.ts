import type { Clock } from '../../lib/clock.js';
import type { KeyId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { minuteMs } from '../../lib/times.js';
import {
  addToWindow,
  type CountedWindow,
  toCountedWindow,
  type WindowRow,
  windowMs,
} from '../../sql/count-in-window.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';

const writeEveryMs = minuteMs;

/** Further keys within a minute go unrecorded: `last_used_at` only helps people. */
const keysMax = 20_000;

/** Collects which keys are used and writes it at most once a minute. */
type KeyUsage = {
  record(keyId: KeyId): void;
  /** Writes what was collected once a minute has passed since the last write. Never throws. */
  writeIfDue(): Promise<void>;
  /** Writes what was collected. Never throws. */
  write(): Promise<void>;
};

export function createKeyUsage({ sql, clock, log }: { sql: Sql; clock: Clock; log: Log }): KeyUsage {
  let lastUsed = new Map<KeyId, number>();
  let writtenAt = clock.now();

  function record(keyId: KeyId): void {
    if (lastUsed.size < keysMax || lastUsed.has(keyId)) lastUsed.set(keyId, clock.now());
  }

  async function write(): Promise<void> {
    writtenAt = clock.now();
    const batch = lastUsed;
    if (batch.size === 0) return;
    lastUsed = new Map();
    try {
      await withQueryTimeout(touchKeys({ sql }, batch));
    } catch (error) {
      log.warn(
        { err: error, keys: batch.size },
        'The last use of keys was not written; the next write repeats it.',
      );
      lastUsed = new Map([...batch, ...lastUsed]);
    }
  }

  async function writeIfDue(): Promise<void> {
    if (clock.now() - writtenAt >= writeEveryMs) await write();
  }

  return { record, write, writeIfDue };
}

/**
 * Writes when keys were last used (Unix milliseconds by key) in one statement. Leaves out keys that any instance wrote
 * less than a minute before, and skips rows that another instance is writing, so that two instances never deadlock.
 */
export async function touchKeys({ sql }: { sql: Sql }, lastUsed: ReadonlyMap<KeyId, number>): Promise<void> {
  const ids = [...lastUsed.keys()];
  const times = [...lastUsed.values()].map((time) => new Date(time).toISOString());
  await sql`
    with due as (
      select k.id, used.at
      from keys k
      join unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at) on used.id = k.id
      where k.last_used_at is null or k.last_used_at <= used.at - interval '1 minute'
      order by k.id
      for no key update of k skip locked
    )
    update keys set last_used_at = due.at from due where keys.id = due.id`;
}

/**
 * Counts a request of the key across all instances. Returns the requests, this one included, of the minute that began
 * with the first of them, and the milliseconds until that minute ends.
 */
export async function countKeyRequest(
  { sql, clock }: { sql: Sql; clock: Clock },
  keyId: KeyId,
): Promise<CountedWindow> {
  const now = clock.now();
  const rows = await sql<WindowRow[]>`
    insert into key_requests as held (key_id, window_ends_at, requests)
    values (${keyId}, ${new Date(now + windowMs)}, 1)
    on conflict (key_id) do update set ${addToWindow(sql, now)}
    returning requests, window_ends_at`;
  return toCountedWindow(rows, now);
}

import type { Clock } from '../../lib/clock.js';
import type { KeyId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import { touchKeys } from './touch-keys.js';

const writeEveryMs = 60_000;
/** Beyond this many different keys in a minute the rest goes unrecorded: `last_used_at` is a help for people. */
const keysMax = 20_000;

/** Collects which keys were used and writes it at most once a minute. */
export type KeyUsage = {
  record(keyId: KeyId): void;
  /** Writes what was collected when a minute has passed since the last write; never throws. */
  writeIfDue(): Promise<void>;
  /** Writes what was collected; never throws. */
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
        'the last use of keys could not be written; it will be tried again',
      );
      lastUsed = new Map([...batch, ...lastUsed]);
    }
  }

  async function writeIfDue(): Promise<void> {
    if (clock.now() - writtenAt >= writeEveryMs) await write();
  }

  return { record, write, writeIfDue };
}

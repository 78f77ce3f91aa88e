import { limits, type PoolEntry } from './report.js';

const hourMs = 3_600_000;

/** Limits a session to the number of server pools that the service accepts within an hour, without duplicates. */
export class ServerPools {
  /** Time of the last report of each, by the monotonic performance.now(). */
  readonly #reportedAt = new Map<string, number>();

  /**
   * Returns the entries that may be reported; earlier pools take precedence.
   *
   * @param now milliseconds, by performance.now().
   */
  admit(entries: readonly PoolEntry[], now: number): PoolEntry[] {
    for (const [name, at] of this.#reportedAt) if (now - at > hourMs) this.#reportedAt.delete(name);
    const names = new Set<string>();
    return entries.filter((entry) => {
      const name = JSON.stringify([entry.system, entry.target, entry.pool, entry.serverPool]);
      if (names.has(name)) return false;
      if (!this.#reportedAt.has(name) && this.#reportedAt.size >= limits.serverPoolsPerHour) return false;
      names.add(name);
      this.#reportedAt.set(name, now);
      return true;
    });
  }
}

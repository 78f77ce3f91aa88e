import { limits, type PoolEntry } from './report.js';

const hourMs = 3_600_000;

/** Sees to it that a session reports no more server pools within an hour than the service takes, and none twice. */
export class ServerPools {
  /** When each was reported last, by performance.now(), which nobody sets. */
  readonly #reportedAt = new Map<string, number>();

  /**
   * The entries that may be reported; those that were there first stay.
   *
   * @param now milliseconds of performance.now().
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

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { createSeldomLog, type Log } from '../../lib/log.js';
import { shareNextResult } from '../../lib/share-result.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import { askPostgres } from './known-pages.js';
import { makeRelease, makeSourceOf, type Source } from './names.js';
import { isSame, type NoteVersions, registerVersions, type ServiceVersion } from './register-versions.js';

/** A version as the sender of events names it, normalised; an empty environment is none. */
export type SentRelease = { readonly version: string; readonly environment: string };

/** A version of a service that a batch has, and the service. */
export type WantedVersion = ServiceVersion & { base: Source };

/** How a version counts: apart as a source of its own, or with all others of its service. */
type Standing = { source: Source | undefined; heardAt: number; isAsked: boolean };

/**
 * A version is used for so long without a question, which is less than what lets it be silent in PostgreSQL: no other
 * version gets its place meanwhile.
 */
const usableMs = 10 * minuteMs;
const askAgainAfterMs = 5 * minuteMs;
/** A version without room is looked at again after this time, and so are those that PostgreSQL did not answer for. */
const refusedMs = 30 * secondMs;
/** Versions in memory over all pages, of some 300 bytes each. */
const versionsMax = 100_000;
/** Versions of a page that wait for PostgreSQL. Requests of further ones count for their service alone meanwhile. */
const waitingMax = 1_000;

export type VersionRegistry = ReturnType<typeof createVersionRegistry>;

/**
 * Holds the versions of services whose requests count apart: at most 20 of a service at a time, over any number of
 * instances. A version that this process knows costs a look-up. While PostgreSQL is unavailable, known versions go on, and
 * requests of new ones count for their service alone: no event is refused for its version.
 */
export function createVersionRegistry(deps: {
  sql: Sql;
  clock: Clock;
  log: Log;
  noteVersions: NoteVersions;
}) {
  const { clock } = deps;
  const unanswered = createSeldomLog(deps.log);
  const standings = new LRUCache<string, Standing>({ max: versionsMax });
  /** The versions that the next question of a page asks for. */
  const waiting = new Map<PageId, Map<string, WantedVersion>>();

  /** A fleet that is deployed sends its new version in many bodies at a time: a page has one question, and one that waits. */
  const askNext = shareNextResult(async (pageId: PageId) => {
    const wanted = [...(waiting.get(pageId)?.values() ?? [])];
    waiting.delete(pageId);
    if (wanted.length > 0) await askNow(pageId, wanted);
  });

  /** Never rejects. */
  function ask(pageId: PageId, wanted: readonly WantedVersion[]): Promise<void> {
    const joined = waiting.get(pageId) ?? new Map<string, WantedVersion>();
    waiting.set(pageId, joined);
    for (const one of wanted) {
      if (joined.size < waitingMax) joined.set(keyOf(pageId, one.base, one), one);
      else note(pageId, one, 'unanswered');
    }
    return askNext(pageId);
  }

  async function askNow(pageId: PageId, wanted: readonly WantedVersion[]): Promise<void> {
    try {
      const counted = await askPostgres(registerVersions(deps, pageId, wanted, clock.now()));
      for (const one of wanted)
        note(pageId, one, counted.some((other) => isSame(one, other)) ? 'counts' : 'refused');
    } catch (error) {
      unanswered.note(
        { error: String(error), pageId },
        'PostgreSQL does not answer for versions of services; requests of new ones count for their service alone.',
      );
      for (const one of wanted) note(pageId, one, 'unanswered');
    }
  }

  function note(pageId: PageId, wanted: WantedVersion, outcome: 'counts' | 'refused' | 'unanswered'): void {
    const key = keyOf(pageId, wanted.base, wanted);
    const known = standings.get(key)?.source;
    const now = clock.now();
    if (outcome === 'counts') {
      standings.set(key, { source: known ?? sourceOf(wanted), heardAt: now, isAsked: false });
    } else {
      const source = outcome === 'unanswered' ? known : undefined;
      standings.set(key, { source, heardAt: now - usableMs + refusedMs, isAsked: false });
    }
  }

  return {
    /**
     * Returns how a version of a service counts; `undefined` when register() must be called first. Asks PostgreSQL beside
     * the requests now and then, so that the version keeps its place.
     */
    find(pageId: PageId, base: Source, release: SentRelease): Pick<Standing, 'source'> | undefined {
      const standing = standings.get(keyOf(pageId, base, release));
      if (standing === undefined) return undefined;
      const ageMs = clock.now() - standing.heardAt;
      if (ageMs > usableMs) return undefined;
      if (ageMs > askAgainAfterMs && standing.source !== undefined && !standing.isAsked) {
        standing.isAsked = true;
        void ask(pageId, [{ base, service: base.text, ...release }]);
      }
      return standing;
    },

    /** Asks for versions that find() does not know. Resolves when it knows them, whatever PostgreSQL says. */
    register: ask,
  };
}

function keyOf(pageId: PageId, base: Source, { version, environment }: SentRelease): string {
  return `${pageId}\0${base.text}\0${version}\0${environment}`;
}

function sourceOf({ base, version, environment }: WantedVersion): Source {
  return makeSourceOf(base.pageBytes, base.kind, base.text, makeRelease(version, environment));
}

import type { Reporter } from '../contract/events.js';
import type { Clock } from '../lib/clock.js';
import type { PageId } from '../lib/ids.js';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import type { Sql } from '../sql/open-postgres.js';
import { createClickHouseStore } from './commit/clickhouse-store.js';
import { Block, type CountedRequests } from './commit/collapse.js';
import { encodeBlock } from './commit/encode-block.js';
import { rowsMax } from './commit/histograms.js';
import { createNameRegistry } from './names/name-registry.js';
import { makeRelease, makeSourceOf, type Name, type Source, type SourceKind } from './names/names.js';

/** The names that past events have. They are normalised already: a service in lower case, an endpoint without a query. */
export type PastNames = {
  endpoints: readonly string[];
  services: readonly string[];
  reporters: readonly Reporter[];
};

/** The names of rows of past events: look them up once, and not for each row. */
export type PastLookup = {
  /** A service, or a reporter by its id. */
  source(kind: SourceKind, id: string): Source;
  /** A version of a service, whose requests count apart; a source of its own, even of the same version. */
  version(service: string, version: string, environment: string): Source;
  endpoint(text: string): Name;
  method(text: string): Name;
};

export type PastEvents = PastLookup & {
  /** Adds requests of a minute that is over. */
  add(requests: CountedRequests): void;
  /** Adds one call of a source. `at` is in milliseconds since the epoch. */
  addCall(source: Source, at: number): void;
  /** Whether a block is about full: flush() before more is added. */
  readonly isFull: boolean;
  /**
   * Stores all requests that were added, and resolves when ClickHouse has them. More may be added meanwhile. The same
   * requests under the same token count once.
   *
   * @throws ClickHouseError, or an error of the network
   */
  flush(token: string): Promise<void>;
};

/** Rows below the limit of a block, which leave room for one more minute. */
const rowsOfMinuteMax = 4_096;

/**
 * Registers names and writes events of the past with them, which is for made-up history: events of clients go through the
 * pipeline, which counts them once however often they are sent.
 *
 * @throws ServiceError `storeUnavailable` when PostgreSQL does not answer
 */
export async function openPastEvents(
  deps: { sql: Sql; clickhouse: ClickHouseClient; clock: Clock },
  pageId: PageId,
  { endpoints, services, reporters }: PastNames,
): Promise<PastEvents> {
  const registry = createNameRegistry(deps);
  const names = registry.names(pageId);
  await registry.register(names, { endpoints: new Set(endpoints), services: new Set(services) });
  const sources = new Map<string, Source>();
  for (const reporter of reporters) {
    const source = await registry.reporter(pageId, reporter);
    if (source !== undefined) sources.set(`reporter ${reporter.reporterId}`, source);
  }
  for (const [text, source] of names.services) sources.set(`service ${text}`, source);
  const store = createClickHouseStore(deps.clickhouse);
  const block = new Block();

  const source = (kind: SourceKind, id: string): Source => known(sources.get(`${kind} ${id}`), id);
  return {
    source,
    version(service, version, environment) {
      const { pageBytes, kind, text } = source('service', service);
      return makeSourceOf(pageBytes, kind, text, makeRelease(version, environment));
    },
    endpoint: (text) => known(names.endpoints.get(text), text),
    method: (text) => known(names.method(text), text),
    add: (requests) => block.addCounted(requests),
    addCall: (source, at) => block.addReport(source, at),
    get isFull() {
      return block.rows > rowsMax - rowsOfMinuteMax;
    },
    async flush(token) {
      if (block.rows === 0) return;
      const bytes = encodeBlock(block);
      block.clear();
      await store.insert(bytes, token);
    },
  };
}

function known<T>(name: T | null | undefined, text: string): T {
  if (name === undefined || name === null) throw new Error(`The page has no room for the name "${text}".`);
  return name;
}

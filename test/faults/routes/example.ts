import type { Stores } from '../../support/service.js';
import type { Site } from './site.js';
import type { Store } from './store-faults.js';

/**
 * The state of memory when a fault begins. `warm`: every route was called a little earlier, so keys, names and the page
 * are known, and public answers are older than it may be without a look at the stores. `cold`: nothing of the page.
 */
export const memories = ['warm', 'cold'] as const;
export type Memory = (typeof memories)[number];

/** A request that is about to be sent. */
export type Call = {
  site: Site;
  memory: Memory;
  /** A UUID that marks what the request writes. */
  mark: string;
  /** How many requests of the example the page got before. */
  earlier: number;
  /** Milliseconds since 1970. */
  now: number;
};

export type Sent = { path: string; host?: string; headers?: Record<string, string>; body?: string | Buffer };

/** A valid request for a route. */
export type Example = {
  /** The name of the example, where a route has several. */
  variant?: string;
  /** A method in place of the route's own. */
  method?: string;
  usual: number;
  /** Without which stores the request cannot be answered as usual. */
  needs: Readonly<Record<Memory, readonly Store[]>>;
  /** Whether it cannot be answered as usual without any store, whichever it needs. */
  needsAny?: true;
  /** Whether memory keeps the answer, and serves it with its age. */
  kept?: true;
  /** The language of errors, where they are views for people; JSON where absent. */
  view?: string;
  /** A 503 with a body of its own: what it says is the answer. */
  ownForm?: RegExp;
  send(call: Call): Sent;
  /** Counts how often a write was carried out. */
  applied?(stores: Pick<Stores, 'sql' | 'clickhouse'>, call: Call): Promise<number>;
};

const [postgres, clickhouse]: [Store, Store] = ['PostgreSQL', 'ClickHouse'];

export const needs = {
  nothing: { warm: [], cold: [] },
  /** The key, the name or the page alone, which memory may have. */
  page: { warm: [], cold: [postgres] },
  /** The same, and figures of a public read, which memory may have. */
  figures: { warm: [], cold: [postgres, clickhouse] },
  /** The same for somebody who runs the page, and whom PostgreSQL knows. */
  ownFigures: { warm: [postgres], cold: [postgres, clickhouse] },
  postgres: { warm: [postgres], cold: [postgres] },
  clickhouse: { warm: [clickhouse], cold: [postgres, clickhouse] },
  both: { warm: [postgres, clickhouse], cold: [postgres, clickhouse] },
} satisfies Record<string, Example['needs']>;

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-language': 'de,en;q=0.5' };

/** A request of a browser whose reader prefers German. */
export function openView(path: string, sent: Omit<Sent, 'path'> = {}): Sent {
  return { ...sent, path, headers: { ...browser, ...sent.headers } };
}

/** A request of a program with a key and a JSON body, or without a body. */
export function sendJson(key: string, path: string, body?: object): Sent {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return { path, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
}

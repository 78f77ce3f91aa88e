import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { Test } from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { insertRequests } from '../../analytics/support.js';
import { makeKey } from '../../support/pages.js';
import { startTestService, type TestService, withoutJobs } from '../../support/service.js';

export type Door = {
  api: TestService;
  /** A read key of the page `other`. */
  otherReadKey: string;
  /** Sends a statement as the page `acme`, in the body of a POST. */
  ask(statement: string, options?: AskOptions): Promise<DoorAnswer>;
};

export type AskOptions = {
  query?: Record<string, string>;
  headers?: Record<string, string>;
  method?: string;
  path?: string;
};

export type DoorAnswer = { status: number; headers: Headers; text: string };

export const hourMs = 3_600_000;

/** Starts the service, whose two pages have a service each: `shop` on `acme`, and `theirs-secret` on `other`. */
export async function openDoor(t: Test): Promise<Door> {
  const api = await startTestService(t, { roles: withoutJobs });
  const at = Math.floor(Date.now() / hourMs) * hourMs - hourMs;
  const { clickhouse, sql } = api.stores;
  await insertRequests(clickhouse, api.pageId, [{ at, service: 'shop', requests: 3 }]);
  await insertRequests(clickhouse, api.otherPageId, [{ at, service: 'theirs-secret', requests: 5 }]);
  const { key: otherReadKey } = await makeKey({ sql, clock: systemClock }, { slug: 'other', scope: 'read' });
  const usual = { 'x-clickhouse-user': 'acme', 'x-clickhouse-key': api.readKey };
  return {
    ...{ api, otherReadKey },
    async ask(statement, { query = {}, headers = usual, method = 'POST', path = '/clickhouse' } = {}) {
      const parameters = new URLSearchParams(query).toString();
      const response = await fetch(`${api.url}${path}${parameters === '' ? '' : `?${parameters}`}`, {
        ...{ method, headers: { 'content-type': 'text/plain', ...headers } },
        ...(method === 'POST' && { body: statement }),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}

/** The client that ClickHouse has for Node.js, as a user of the page `acme` sets it up. */
export function connect(
  t: Test,
  { api }: Door,
  options: Parameters<typeof createClient>[0] = {},
): ClickHouseClient {
  const client = createClient({
    ...{ url: api.url, pathname: '/clickhouse', username: 'acme', password: api.readKey },
    // Without this the client prints the errors that the tests are about.
    log: { level: ClickHouseLogLevel.OFF },
    ...options,
  });
  t.teardown(() => client.close());
  return client;
}

/** The lines of an answer in TabSeparated, as their fields. */
export function rowsOf({ text }: DoorAnswer): string[][] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'));
}

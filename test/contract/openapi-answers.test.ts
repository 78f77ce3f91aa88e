import t, { type Test } from 'tap';
import { systemClock } from '../../lib/clock.js';
import {
  checkAnswersWith,
  type Described,
  type Description,
  operationsOf,
} from '../support/api-description.js';
import { makeKey } from '../support/pages.js';
import { requestAt } from '../support/request-at.js';
import { startAnother, startTestService, type TestService } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';

/** Every answer of every operation: for browsers and programs, on hosts with and without a page, with stores and without. */
const first = await startTestService(t);
const deps = { sql: first.stores.sql, clock: systemClock };
const { key: manageKey } = await makeKey(deps, { slug: 'acme', scope: 'manage' });
const description = (await first.get('/openapi.json')).body as Description;
const operations = operationsOf(description);
const findUndescribed = checkAnswersWith(description);

const hosts = ['acme.localhost', 'nowhere.localhost', '127.0.0.1'];
const accepted = ['text/html,application/xhtml+xml,*/*;q=0.8', 'application/json', '*/*'];
/** Values for the parameters of a path; nothing has the second. */
const usual: Readonly<Record<string, string>> = {
  slug: 'acme',
  page: 'acme',
  language: 'en',
  month: '2026-01',
  service: 'api',
};

/** Operations whose requests are sent at the same time. */
const atOnce = 16;

type Seen = Map<string, Set<string>>;

/** Sends all requests, checks every answer, and returns the statuses and media types of each operation. */
async function sendAll(t: Test, api: TestService, hostsAsked: readonly string[]): Promise<Seen> {
  const seen: Seen = new Map(operations.map(({ operation }) => [operation.operationId, new Set()]));
  const wrong = new Set<string>();
  const sendOne = async ({ operation, method, path }: Described): Promise<void> => {
    const requests = listRequests(api, { operation, path }, hostsAsked).map(
      async ({ host, target, headers }) => {
        const answer = await requestAt(api.url, host, target, { method, headers });
        const type = (answer.headers.get('content-type') ?? 'nothing').replace(/;.*/, '');
        seen.get(operation.operationId)?.add(`${answer.status} ${type}`);
        for (const one of findUndescribed(operation, answer)) wrong.add(`${method} ${path}: ${one}`);
      },
    );
    await Promise.all(requests);
  };
  // Without a store, each answer waits for a connection.
  for (let from = 0; from < operations.length; from += atOnce) {
    await Promise.all(operations.slice(from, from + atOnce).map(sendOne));
  }
  t.strictSame([...wrong], []);
  return seen;
}

type Request = { host: string; target: string; headers: Record<string, string> };

/** Routes that ask for a permission answer JSON on any host, and count the requests of a key. */
function listRequests(
  api: TestService,
  { operation, path }: Pick<Described, 'operation' | 'path'>,
  hostsAsked: readonly string[],
): Request[] {
  const targets = [...new Set([usual, {}].map((known) => fill(path, known)))];
  const isManaged = 'x-permission' in operation;
  const keys = [...new Set([undefined, keyOf(api, operation)])];
  return targets.flatMap((target) =>
    (isManaged ? hostsAsked.slice(0, 1) : hostsAsked).flatMap((host) =>
      (isManaged ? ['application/json'] : accepted).flatMap((accept) =>
        keys.map((key) => ({
          ...{ host, target },
          headers: { accept, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
        })),
      ),
    ),
  );
}

function fill(path: string, known: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? 'x');
}

function keyOf(api: TestService, { security: [needed = {}] }: Described['operation']): string | undefined {
  const keys = { ingest: api.ingestKey, read: api.readKey, incident: api.incidentKey, manage: manageKey };
  return Object.entries(keys).find(([scope]) => scope in needed)?.[1];
}

/** Operations that describe HTML for a status: what people open. */
const forPeople = (status: string) =>
  operations.filter(({ operation }) => operation.responses[status]?.content?.['text/html'] !== undefined);

function checkBothForms(t: Test, seen: Seen, status: string): void {
  const described = forPeople(status);
  t.ok(described.length >= 10, `${described.length} operations answer ${status} for people`);
  const missing = described.flatMap(({ operation, path }) =>
    ['text/html', 'application/json'].flatMap((type) =>
      seen.get(operation.operationId)?.has(`${status} ${type}`) ? [] : [`${path} ${status} ${type}`],
    ),
  );
  t.strictSame(missing, [], `every form of ${status} was answered`);
}

t.test('every answer is described, and what people open answers 404 as HTML and as JSON', async (t) => {
  checkBothForms(t, await sendAll(t, first, hosts), '404');
});

t.test('the same without PostgreSQL, with 503', async (t) => {
  const gate = await openTcpGate(t, first.stores.databaseUrl);
  const api = await startAnother(t, first, { databaseUrl: gate.url });
  await gate.close();
  checkBothForms(t, await sendAll(t, api, hosts.slice(0, 1)), '503');
});

import type { Test } from 'tap';
import { createApp } from '../../api/app.js';
import { listen } from '../../api/http-server.js';
import { loadAssets } from '../../api/public/assets.js';
import { createPublicCache } from '../../api/public/public-cache.js';
import { createOriginParser } from '../../api/request-origin.js';
import { subscriberRoutes } from '../../api/routes/subscriptions/subscribers.js';
import { createIncident, parseNewIncident } from '../../control/incidents/index.js';
import { createKeyCache } from '../../control/keys/index.js';
import type { CreatePageInput, Page } from '../../control/pages/index.js';
import { startEmailLoop } from '../../control/subscribers/index.js';
import { type IncidentId, parseId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { createMetrics } from '../../service/metrics.js';
import type { Sql } from '../../sql/open-postgres.js';
import { testActor } from './actor.js';
import { testSecretKey } from './embedded-stores.js';
import { outage } from './incidents.js';
import { type MovingClock, makeStoppedClock } from './moving-clock.js';
import { makePage } from './pages.js';
import { type RequestOptions, requestAt } from './request-at.js';
import type { Answer } from './service.js';
import { silentLog } from './silent-log.js';
import { openTestPostgres } from './stores.js';
import { waitUntil } from './wait-until.js';

export type EmailRow = {
  id: string;
  email: string;
  kind: string;
  state: string;
  attempts: number;
  /** Whether a loop has claimed it. */
  claimed: boolean;
  reason: string | null;
};

export type MailSetup = {
  sql: Sql;
  databaseUrl: string;
  /** The clock of the loops and routes. */
  clock: MovingClock;
  page: Page;
  /** Sends a request to the host of the page, or to another one. */
  ask(path: string, options?: RequestOptions & { host?: string }): Promise<Answer>;
  signUp(body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Starts the email loop, which polls often and runs until it is stopped or the test ends. */
  startLoop(t: Test, options?: Partial<Parameters<typeof startEmailLoop>[0]>): { stop(): Promise<void> };
  openIncident(fields?: object, pageId?: Page['id']): Promise<IncidentId>;
  /** Loads every email with its address, in the order in which they were queued. */
  emails(): Promise<EmailRow[]>;
  /** Waits until no email is left to be queued or sent. */
  settled(): Promise<void>;
};

/** Sets up PostgreSQL, a page, and the routes of subscribers. No loop runs yet. */
export async function setUpMail(
  t: Test,
  { log = silentLog, ...input }: Partial<CreatePageInput> & { log?: Log } = {},
): Promise<MailSetup> {
  const { sql, databaseUrl } = await openTestPostgres(t);
  const clock = makeStoppedClock();
  const page = await makePage(sql, { name: 'Acme', languages: ['en', 'de', 'pt-BR'], ...input });
  const url = await serveRoutes(t, { sql, clock, log });
  const originOf = (hostname: string) => `https://${hostname}`;

  const ask: MailSetup['ask'] = (path, { host = page.hostname, ...options } = {}) =>
    requestAt(url, host, path, options);
  const emails: MailSetup['emails'] = () => sql<EmailRow[]>`
    select e.id, s.email, e.kind, e.state, e.attempts, e.claimed_until is not null as claimed, e.reason
    from emails e join subscribers s on s.id = e.subscriber_id order by e.id`;
  return {
    ...{ sql, databaseUrl, clock, page, ask, emails },
    signUp: (body, headers = {}) =>
      ask(`/api/public/${page.slug}/subscribers`, {
        method: 'POST',
        headers,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    startLoop(t, options = {}) {
      const deps = {
        sql,
        clock,
        log,
        secretKey: testSecretKey,
        smtpUrl: undefined,
        translates: false,
        originOf,
        pollMs: 20,
      };
      const loop = startEmailLoop({ ...deps, ...options });
      t.teardown(() => loop.stop());
      return loop;
    },
    async openIncident(fields = {}, pageId = page.id) {
      const incident = parseNewIncident({ ...outage, ...fields });
      const { id } = await createIncident({ sql, clock, by: testActor }, { pageId, input: incident });
      const incidentId = parseId<IncidentId>(id);
      if (incidentId === undefined) throw new Error('A new incident has an id.');
      return incidentId;
    },
    settled: () =>
      waitUntil('nothing is left to send', async () => {
        const [row] = await sql<{ busy: boolean }[]>`
          select exists (select 1 from announcements where emails_queued_at is null)
            or exists (select 1 from emails where state = 'pending') as busy`;
        return row?.busy === false;
      }),
  };
}

async function serveRoutes(
  t: Test,
  { sql, clock, log }: Pick<MailSetup, 'sql' | 'clock'> & { log: Log },
): Promise<string> {
  const parseOrigin = createOriginParser(['127.0.0.1']);
  const originOf = (hostname: string) => `https://${hostname}`;
  const { paths: assets } = loadAssets();
  const cache = createPublicCache({ sql, clock, log });
  const deps = { sql, clock, cache, parseOrigin, originOf, assets, sendsMail: true };
  const routes = subscriberRoutes({ ...deps, secretKey: testSecretKey, admits: async () => true });
  const keys = createKeyCache({ sql, clock, log });
  const app = createApp({ keys, log, metrics: createMetrics(), routes, bodyTimeoutMs: 5_000 });
  const server = await listen(app.callback(), '127.0.0.1', 0);
  t.teardown(() => server.close(1_000));
  return server.url;
}

/** Adds confirmed subscribers. */
export async function addConfirmed(
  { sql, page }: { sql: Sql; page: Pick<Page, 'id'> },
  addresses: readonly string[],
  language = 'en',
): Promise<void> {
  await sql`
    insert into subscribers (id, page_id, email, language, created_at, requested_at, confirmed_at)
    select gen_random_uuid(), ${page.id}, address, ${language}, now(), now(), now()
    from unnest(${[...addresses]}::text[]) as given (address)`;
}

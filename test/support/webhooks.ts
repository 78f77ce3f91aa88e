import type { Test } from 'tap';
import {
  appendUpdate,
  createIncident,
  parseNewIncident,
  parseNewUpdate,
} from '../../control/incidents/index.js';
import { loadPageId } from '../../control/pages/index.js';
import { createWebhook, startWebhookLoop, type WebhookLoopDeps } from '../../control/webhooks/index.js';
import type { Clock } from '../../lib/clock.js';
import { type IncidentId, type PageId, parseId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { testActor } from './actor.js';
import { testSecretKey } from './embedded-stores.js';
import { outage } from './incidents.js';
import type { MovingClock } from './moving-clock.js';
import type { Received } from './receiver.js';
import { silentLog } from './silent-log.js';
import { waitUntil } from './wait-until.js';

type Deps = { sql: Sql; clock: Clock };

/** Starts the webhook loop of the service, which may reach this machine, polls often and stops soon, until the test ends. */
export function startTestLoop(
  t: Test,
  deps: Pick<WebhookLoopDeps, 'sql' | 'clock'> & Partial<WebhookLoopDeps>,
): { stop(): Promise<void> } {
  const loop = startWebhookLoop({
    log: silentLog,
    secretKey: testSecretKey,
    allowPrivateAddresses: true,
    ...{ pollMs: 20, stopGraceMs: 300 },
    ...deps,
  });
  t.teardown(() => loop.stop());
  return loop;
}

export async function makeWebhook(deps: Deps, url: string, slug = 'acme') {
  const pageId = await loadPageId(deps.sql, slug);
  return createWebhook({ ...deps, secretKey: testSecretKey, by: testActor }, { pageId, url });
}

/** Opens an incident and posts updates to it, which makes one announcement more than updates. */
export async function announceIncident(deps: Deps, pageId: PageId, updates = 0): Promise<IncidentId> {
  const { id } = await createIncident(
    { ...deps, by: testActor },
    { pageId, input: parseNewIncident(outage) },
  );
  const incidentId = parseId<IncidentId>(id);
  if (incidentId === undefined) throw new Error('A new incident has an id.');
  for (let i = 1; i <= updates; i += 1) await announceUpdate(deps, pageId, incidentId, `Update ${i}.`);
  return incidentId;
}

export async function announceUpdate(
  deps: Deps,
  pageId: PageId,
  incidentId: IncidentId,
  body: string,
): Promise<void> {
  await appendUpdate({ ...deps, by: testActor }, { pageId, incidentId, input: parseNewUpdate({ body }) });
}

export type DeliveryRow = {
  id: string;
  kind: string;
  state: string;
  reason: string | null;
  attempts: number;
  next_attempt_at: Date;
};

/** Loads the deliveries of a webhook in the order of their announcements. */
export function loadDeliveries(sql: Sql, webhookId: string): Promise<DeliveryRow[]> {
  return sql<DeliveryRow[]>`
    select id, kind, state, reason, attempts, next_attempt_at from webhook_deliveries
    where webhook_id = ${webhookId} order by seq nulls first, id`;
}

/** Advances the clock to the next attempt whenever all pending deliveries wait for one, until the condition holds. */
export async function passTimeUntil(
  what: string,
  { sql, clock }: { sql: Sql; clock: MovingClock },
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  await waitUntil(what, async () => {
    if (await condition()) return true;
    const [head] = await sql<{ at: Date | null }[]>`
      select min(next_attempt_at) as at from (
        select distinct on (d.webhook_id, queue) next_attempt_at
        from webhook_deliveries d join webhooks w on w.id = d.webhook_id
        where state = 'pending' and disabled_at is null
        order by d.webhook_id, queue, seq) heads`;
    const [busy] = await sql`select 1 from webhook_deliveries where claimed_until is not null`;
    if (busy === undefined) clock.advance(Math.max(0, (head?.at?.getTime() ?? 0) - clock.now()));
    return false;
  });
}

/** Counts the deliveries of a webhook that have this state. */
export async function countDeliveries(sql: Sql, webhookId: string, state: string): Promise<number> {
  return (await loadDeliveries(sql, webhookId)).filter((delivery) => delivery.state === state).length;
}

/** Returns the ids of the received deliveries; an id that repeats in a row is listed once. */
export function idsInOrder(received: readonly Received[]): string[] {
  const ids = received.map(({ headers }) => headers['webhook-id'] ?? '');
  return ids.filter((id, i) => id !== ids[i - 1]);
}

import { randomBytes } from 'node:crypto';
import t from 'tap';
import {
  appendUpdate,
  changeIncident,
  createIncident,
  parseIncidentChange,
  parseNewIncident,
  parseNewUpdate,
} from '../../../control/incidents/index.js';
import { type IncidentId, parseId } from '../../../lib/ids.js';
import { testActor } from '../../support/actor.js';
import { makeMonitors, outage } from '../../support/incidents.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { startReceiver } from '../../support/receiver.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';
import { makeWebhook, startTestLoop } from '../../support/webhooks.js';

const { sql } = await openTestPostgres(t);
const languages = ['en', ...['de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'sv', 'ja', 'ko']];
const { id: pageId } = await makePage(sql);
const { id: translatedId } = await makePage(sql, { slug: 'translated', languages });
const clock = makeStoppedClock();
const deps = { sql, clock, by: testActor };

/** Random, so that PostgreSQL cannot compress it. */
const textOf = (chars: number) => randomBytes(chars).toString('base64').slice(0, chars);

/**
 * Bytes of the tables that hold incidents and what is announced of them, with their long values and indexes. The maps of
 * free space are left out: a server of PostgreSQL adds 24 KiB to a table for its first one.
 */
async function bytesStored(): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    with own as (
      select oid, reltoastrelid from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace
        and relname ~ '^(incident|announce|webhook|translation)'
    ), held as (
      select oid from own union select reltoastrelid from own where reltoastrelid <> 0
    ), stored as (
      select oid from held union select indexrelid from pg_index where indrelid in (select oid from held)
    )
    select sum(pg_relation_size(oid))::float8 as bytes from stored`;
  return row?.bytes ?? 0;
}

/** How many bytes the tables grow by while `work` runs. */
async function growthOf(work: () => Promise<void>): Promise<number> {
  const before = await bytesStored();
  await work();
  return (await bytesStored()) - before;
}

async function open(page = pageId, fields: object = {}): Promise<IncidentId> {
  const { id } = await createIncident(deps, {
    pageId: page,
    input: parseNewIncident({ ...outage, ...fields }),
  });
  const incidentId = parseId<IncidentId>(id);
  if (incidentId === undefined) throw new Error('A new incident has an id.');
  return incidentId;
}

const change = (incidentId: IncidentId, fields: object) =>
  changeIncident(deps, { pageId, incidentId, change: parseIncidentChange(fields) });

t.test('updates that ten webhooks deliver take a small multiple of their length', async (t) => {
  const receiver = await startReceiver(t);
  for (let i = 0; i < 10; i += 1) await makeWebhook(deps, receiver.url);
  startTestLoop(t, deps);
  const [updates, chars] = [8, 20_000];
  const growth = await growthOf(async () => {
    const incidentId = await open();
    for (let i = 0; i < updates; i += 1) {
      await appendUpdate(deps, { pageId, incidentId, input: parseNewUpdate({ body: textOf(chars) }) });
    }
    await waitUntil('all are delivered', () => receiver.received.length === 10 * (updates + 1));
  });
  const posted = updates * chars;
  t.ok(growth < 3 * posted, `${growth} bytes for ${posted} that were posted`);
  const last = JSON.parse(receiver.received.at(-1)?.body ?? '{}') as { data: { updates: unknown[] } };
  t.equal(last.data.updates.length, updates, 'the receivers get the whole entry all the same');
  await sql`update webhooks set disabled_at = now(), disabled_reason = 'Done.'`;
});

t.test('a change does not store again the texts and services that it leaves alone', async (t) => {
  const slugs = Array.from(
    { length: 60 },
    (_, i) => `service-with-a-rather-long-name-of-some-fifty-chars-${i}`,
  );
  await makeMonitors(sql, pageId, slugs);
  const id = await open(pageId, { summary: textOf(20_000), monitorSlugs: slugs });
  const growth = await growthOf(async () => {
    for (let i = 0; i < 20; i += 1) {
      await change(id, { resolvedAt: i % 2 === 0 ? '2026-11-21T10:00:00Z' : null });
      await change(id, { title: `Title ${i % 2}` });
    }
  });
  const announced = await sql`select 1 from announcements where incident_id = ${id}`;
  t.equal(announced.length, 41);
  t.ok(growth < 100_000, `${growth} bytes for 40 small changes`);
  const [texts] = await sql`
    select count(*)::integer as texts, sum(octet_length(text))::integer as bytes
    from announced_texts where incident_id = ${id}`;
  const titles = [outage.title, 'Title 0', 'Title 1'].join('').length;
  const bytes = 20_000 + JSON.stringify(slugs).length + titles;
  t.strictSame(texts, { texts: 5, bytes }, 'each text once');
});

t.test('a text that waits for its translations is stored once for all languages', async (t) => {
  const chars = 20_000;
  const growth = await growthOf(async () => {
    for (let i = 0; i < 4; i += 1) await open(translatedId, { summary: textOf(chars) });
  });
  t.ok(growth < 4 * 4 * chars + 100_000, `${growth} bytes for ${4 * chars} that were posted`);
});

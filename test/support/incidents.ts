import type { Ledger, LedgerEntry } from '../../contract/incidents.js';
import { type AnnouncedEntry, loadAnnouncedEntry } from '../../control/incidents/index.js';
import { systemClock } from '../../lib/clock.js';
import { type AnnouncementId, type MonitorId, newId, type PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { makeKey } from './pages.js';
import { requestAt } from './request-at.js';
import type { Answer, TestService } from './service.js';

export const outage = {
  title: 'Database outage',
  summary: 'Connections time out.',
  startedAt: '2026-11-20T10:00:00.000Z',
};

/** Creates monitors with these slugs for a page. */
export async function makeMonitors(sql: Sql, pageId: PageId, slugs: readonly string[]): Promise<void> {
  for (const slug of slugs) {
    const id = newId<MonitorId>(Date.now());
    await sql`
      insert into monitors (id, page_id, slug, name, url, created_at)
      values (${id}, ${pageId}, ${slug}, ${slug}, ${`https://${slug}.example.com/`}, now())`;
  }
}

/** Adds open incidents without their announcements. */
export async function fillOpenIncidents(
  sql: Sql,
  pageId: PageId,
  incidents: number,
  summary = 'Text.',
): Promise<void> {
  await sql`
    insert into incidents (id, page_id, type, title, summary, started_at, published_at)
    select gen_random_uuid(), ${pageId}, 'incident', 'Filled', ${summary}, now(), now()
    from generate_series(1, ${incidents}::int)`;
}

/** Adds updates without their announcements. */
export async function fillUpdates(sql: Sql, id: string, updates: number, body = 'Text.'): Promise<void> {
  await sql`
    insert into incident_updates (id, incident_id, page_id, status, body, created_at)
    select gen_random_uuid(), i.id, i.page_id, 'monitoring', ${body}, now()
    from incidents i, generate_series(1, ${updates}::int) where i.id = ${id}`;
}

/** Creates an incident key: each key may send 60 requests a minute. */
export async function makeIncidentKey({ stores }: TestService, slug = 'acme'): Promise<string> {
  return (await makeKey({ sql: stores.sql, clock: systemClock }, { slug, scope: 'incident' })).key;
}

/** Opens an incident and returns the body of the answer. */
export async function openIncident(
  api: TestService,
  key: string,
  fields: object = {},
): Promise<{ id: string }> {
  const answer = await api.post('/api/v1/incidents', { ...outage, ...fields }, { key });
  if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as { id: string };
}

export function patchIncident(api: TestService, key: string, id: string, change: unknown): Promise<Answer> {
  return api.post(`/api/v1/incidents/${id}`, change, { method: 'PATCH', key });
}

export function postUpdate(api: TestService, key: string, id: string, update: unknown): Promise<Answer> {
  return api.post(`/api/v1/incidents/${id}/updates`, update, { key });
}

/** Fetches the public ledger of a page. */
export async function loadLedger(api: TestService, slug = 'acme'): Promise<LedgerEntry[]> {
  const answer = await requestAt(api.url, `${slug}.localhost`, `/api/public/${slug}/incidents`);
  return (answer.body as Ledger).incidents;
}

export async function loadEntry(api: TestService, id: string, slug = 'acme'): Promise<LedgerEntry> {
  const entry = (await loadLedger(api, slug)).find((entry) => entry.id === id);
  if (entry === undefined) throw new Error(`The ledger has no entry ${id}.`);
  return entry;
}

/** Returns the kinds of the announcements of an incident, in order. */
export async function loadKinds(api: TestService, id: string): Promise<string[]> {
  const rows = await api.stores.sql<{ kind: string }[]>`
    select kind from announcements where incident_id = ${id} order by seq`;
  return rows.map(({ kind }) => kind);
}

/** Loads what was announced of an incident, in order. */
export async function loadAnnounced(sql: Sql, id: string): Promise<AnnouncedEntry[]> {
  const rows = await sql<{ id: AnnouncementId }[]>`
    select id from announcements where incident_id = ${id} order by seq`;
  const announced = await Promise.all(rows.map((row) => loadAnnouncedEntry(sql, row.id)));
  return announced.flatMap((one) => one ?? []);
}

import { incidentLimits, type LedgerEntry, type UpdateStatus } from '../../contract/incidents.js';
import type { Clock } from '../../lib/clock.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { loadTranslations } from '../translations/index.js';
import type { IncidentRow } from './incident-rows.js';
import { maintenanceState } from './maintenance-state.js';

type LedgerRow = Omit<IncidentRow, 'announced_state'> & {
  published_at: Date;
  default_language: string;
  services: string[];
  updates: { id: string; status: UpdateStatus; body: string; created_at: string }[];
};

/** What the page publishes of its incidents and maintenance, newest first: all open ones, of the others the newest. */
export async function loadLedger(
  { sql, clock }: { sql: Sql; clock: Clock },
  pageId: PageId,
): Promise<LedgerEntry[]> {
  const shown = sql`
    i.page_id = ${pageId} and (i.resolved_at is null or i.id in (
      select id from incidents where page_id = ${pageId} and resolved_at is not null
      order by started_at desc, id desc limit ${incidentLimits.ledgerResolved}))`;
  return loadEntries(sql, pageId, shown, clock.now());
}

/** One incident as the ledger shows it; undefined when the page has none of this id. */
export async function loadLedgerEntry(
  sql: Sql | Transaction,
  pageId: PageId,
  incidentId: IncidentId,
  now: number,
): Promise<LedgerEntry | undefined> {
  const [entry] = await loadEntries(sql, pageId, sql`i.page_id = ${pageId} and i.id = ${incidentId}`, now);
  return entry;
}

/**
 * The entries of the incidents `i` for which the condition holds, newest first, as of `now` (milliseconds since 1970).
 * One statement for an incident and its timeline, so that both are of the same moment.
 */
export async function loadEntries(
  sql: Sql | Transaction,
  pageId: PageId,
  condition: Fragment,
  now: number,
): Promise<LedgerEntry[]> {
  const rows = await sql<LedgerRow[]>`
    select i.id, i.type, i.title, i.summary, i.started_at, i.resolved_at, i.scheduled_end_at, i.published_at,
      p.default_language,
      array(select m.slug from incident_monitors im join monitors m on m.id = im.monitor_id
        where im.incident_id = i.id order by im.place) as services,
      coalesce((select json_agg(json_build_object(
          'id', u.id, 'status', u.status, 'body', u.body, 'created_at', u.created_at) order by u.place)
        from incident_updates u where u.incident_id = i.id), '[]') as updates
    from incidents i join pages p on p.id = i.page_id
    where ${condition}
    order by i.started_at desc, i.id desc`;
  const texts = rows.flatMap(({ title, summary, updates }) => [
    title,
    summary,
    ...updates.map(({ body }) => body),
  ]);
  const translations = await loadTranslations(sql, pageId, texts);
  return rows.map((row) => toEntry(row, translations, now));
}

function toEntry(
  row: LedgerRow,
  translations: Awaited<ReturnType<typeof loadTranslations>>,
  now: number,
): LedgerEntry {
  const inLanguages = (text: string): Record<string, string> => ({
    [row.default_language]: text,
    ...translations.get(text),
  });
  return {
    id: row.id,
    type: row.type,
    services: row.services,
    startedAt: row.started_at.toISOString(),
    resolvedAt: row.resolved_at?.toISOString() ?? null,
    publishedAt: row.published_at.toISOString(),
    scheduledEndAt: row.scheduled_end_at?.toISOString() ?? null,
    maintenanceState: maintenanceState(row, now),
    title: inLanguages(row.title),
    summary: inLanguages(row.summary),
    updates: row.updates.map(({ id, status, body, created_at }) => ({
      id,
      status,
      body: inLanguages(body),
      createdAt: new Date(created_at).toISOString(),
    })),
  };
}

import { incidentLimits, type LedgerEntry, type UpdateStatus } from '../../contract/incidents.js';
import type { Clock } from '../../lib/clock.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { loadTranslations } from '../translations/index.js';
import { publicServices, type ServicesRow } from './affected-services.js';
import { type IncidentRow, toLedgerHead } from './incident-row.js';
import { serviceBytes } from './limits.js';

type Deps = { sql: Sql; clock: Clock };

/** An incident with its timeline, as toEntry() takes it. */
export type LedgerRow = Omit<IncidentRow, 'announced_state' | 'revision'> &
  ServicesRow & {
    published_at: Date;
    default_language: string;
    updates: { id: string; status: UpdateStatus; body: string; created_at: string }[];
  };

/**
 * Loads the public ledger of a page, newest first: every open incident and maintenance, and the newest of the others, as
 * long as their texts take less than the limits. Beyond those, an open one is in the default language alone.
 */
export async function loadLedger({ sql, clock }: Deps, pageId: PageId): Promise<LedgerEntry[]> {
  const chosen = await chooseEntries(sql, pageId);
  // One statement reads an incident and its timeline, so that both show the same moment.
  const rows = await sql<LedgerRow[]>`
    select i.id, i.type, i.title, i.summary, i.started_at, i.resolved_at, i.scheduled_end_at, i.published_at,
      p.default_language,
      ${publicServices(sql)},
      coalesce((select json_agg(json_build_object(
          'id', u.id, 'status', u.status, 'body', u.body, 'created_at', u.created_at) order by u.place)
        from incident_updates u where u.incident_id = i.id), '[]') as updates
    from incidents i join pages p on p.id = i.page_id
    where i.page_id = ${pageId} and i.id = any(${chosen.map(({ id }) => id)}::uuid[])
    order by i.started_at desc, i.id desc`;
  const fitting = new Set(chosen.filter(({ fits }) => fits).map(({ id }) => id));
  const texts = rows.filter(({ id }) => fitting.has(id)).flatMap(textsOf);
  const translations = await loadTranslations(sql, pageId, texts);
  const now = clock.now();
  return rows.map((row) => toEntry(row, fitting.has(row.id) ? translations : new Map(), now));
}

/** Bytes that an update adds to an answer besides its text. */
const updateBytes = 100;

/**
 * Chooses the incidents of the ledger by their size, which PostgreSQL knows without reading the texts. Open ones come
 * first; `fits` says whether an incident is within the limits together with those before it.
 */
async function chooseEntries(sql: Sql, pageId: PageId): Promise<{ id: IncidentId; fits: boolean }[]> {
  const { ledgerResolved, ledgerTextBytes, ledgerTextBytesInAll } = incidentLimits;
  return sql<{ id: IncidentId; fits: boolean }[]>`
    with listed as (
      select id, title, summary, started_at, resolved_at from incidents
      where page_id = ${pageId} and resolved_at is null
      union all
      (select id, title, summary, started_at, resolved_at from incidents
        where page_id = ${pageId} and resolved_at is not null
        order by started_at desc, id desc limit ${ledgerResolved})
    ), sized as (
      select i.id, i.resolved_at is null as is_open, sum(octet_length(i.title) + octet_length(i.summary)
          + (select coalesce(sum(octet_length(u.body) + ${updateBytes}::int), 0)
            from incident_updates u where u.incident_id = i.id)
          + (select ${serviceBytes}::int * count(*) from incident_monitors im where im.incident_id = i.id))
        over (order by i.resolved_at is null desc, i.started_at desc, i.id desc) as bytes
      from listed i
    ), measured as (
      select s.id, s.is_open,
        s.bytes <= least(${ledgerTextBytes}::int, ${ledgerTextBytesInAll}::int / cardinality(p.languages)) as fits
      from sized s cross join pages p where p.id = ${pageId}
    )
    select id, fits from measured where is_open or fits`;
}

/** Returns the texts of an entry that are translated. */
export function textsOf({ title, summary, updates }: LedgerRow): string[] {
  return [title, summary, ...updates.map(({ body }) => body)];
}

/** Returns the entry as of `now` (milliseconds since the epoch). */
export function toEntry(
  row: LedgerRow,
  translations: Awaited<ReturnType<typeof loadTranslations>>,
  now: number,
): LedgerEntry {
  const inLanguages = (text: string): Record<string, string> => ({
    [row.default_language]: text,
    ...translations.get(text),
  });
  return {
    ...toLedgerHead(row, now),
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

import { incidentLimits, type LedgerEntry, type UpdateStatus } from '../../contract/incidents.js';
import { type DayIncident, viewLimits } from '../../contract/status-page.js';
import type { Clock } from '../../lib/clock.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { loadTranslations } from '../translations/index.js';
import { type IncidentRow, maintenanceState } from './rows.js';

type Deps = { sql: Sql; clock: Clock };

export type IncidentMonth = {
  /** The months before and after this one that the page has; `YYYY-MM`. */
  earlier?: string;
  later?: string;
  /** Newest first; the newest only when there are too many. */
  incidents: LedgerEntry[];
};

/** An incident with its timeline, as toEntry() takes it. */
export type LedgerRow = Omit<IncidentRow, 'announced_state'> & {
  published_at: Date;
  default_language: string;
  services: string[];
  updates: { id: string; status: UpdateStatus; body: string; created_at: string }[];
};

/**
 * Loads the public ledger of a page, newest first: every open incident and maintenance, and the newest of the others, as
 * long as their texts take less than the limits. Beyond those, an open one is in the default language alone.
 */
export async function loadLedger({ sql, clock }: Deps, pageId: PageId): Promise<LedgerEntry[]> {
  const shown = await selectLedger(sql, pageId);
  const condition = sql`i.page_id = ${pageId} and i.id = any(${shown.map(({ id }) => id)}::uuid[])`;
  const translated = new Set(shown.filter(({ fits }) => fits).map(({ id }) => id));
  return loadEntries(sql, pageId, condition, clock.now(), ({ id }) => translated.has(id));
}

/** What an update and an attached service add to an answer besides the text, in bytes. */
const updateBytes = 100;
const serviceBytes = 40;

/**
 * Selects the incidents of the ledger by their size, which PostgreSQL knows without reading the texts. Open ones come
 * first; `fits` says whether an incident is within the limits together with those before it.
 */
async function selectLedger(sql: Sql, pageId: PageId): Promise<{ id: IncidentId; fits: boolean }[]> {
  const { ledgerResolved, ledgerTextBytes, ledgerTextBytesInAll } = incidentLimits;
  return sql<{ id: IncidentId; fits: boolean }[]>`
    with listed as (
      select id, title, summary, started_at, resolved_at from incidents
      where page_id = ${pageId} and (resolved_at is null or id in (
        select id from incidents where page_id = ${pageId} and resolved_at is not null
        order by started_at desc, id desc limit ${ledgerResolved}))
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

/** Loads one incident as the ledger shows it. Returns `undefined` when the page has no such incident. */
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
 * Loads the ledger entries that are open, running or planned, and those that began or ended today (UTC) or on the days
 * before that a page shows; newest first. When there are too many, the open ones come first, then the newest.
 */
export async function loadRecentIncidents({ sql, clock }: Deps, pageId: PageId): Promise<LedgerEntry[]> {
  const now = clock.now();
  const since = new Date((Math.floor(now / dayMs) - viewLimits.recentDays) * dayMs);
  const shown = sql`
    i.page_id = ${pageId} and i.id in (
      select id from incidents
      where page_id = ${pageId} and (resolved_at is null or started_at >= ${since} or resolved_at >= ${since})
      order by resolved_at is null desc, started_at desc, id desc limit ${viewLimits.recentIncidents})`;
  return loadEntries(sql, pageId, shown, now);
}

type DayIncidentRow = Pick<LedgerRow, 'id' | 'title' | 'started_at' | 'default_language' | 'services'> & {
  ended_at: Date | null;
};

/**
 * Loads the incidents and maintenance with services that took some of the last `days` days of UTC, today included; the
 * newest ones when there are too many.
 */
export async function loadDayIncidents(
  { sql, clock }: Deps,
  pageId: PageId,
  days: number,
): Promise<DayIncident[]> {
  const now = clock.now();
  const since = new Date((Math.floor(now / dayMs) - days + 1) * dayMs);
  const rows = await sql<DayIncidentRow[]>`
    select i.id, i.title, i.started_at, coalesce(i.resolved_at, i.scheduled_end_at) as ended_at, p.default_language,
      s.services
    from incidents i join pages p on p.id = i.page_id,
      lateral (select array_agg(m.slug order by im.place) as services
        from incident_monitors im join monitors m on m.id = im.monitor_id where im.incident_id = i.id) s
    where i.page_id = ${pageId} and i.started_at <= ${new Date(now)} and s.services is not null
      and coalesce(i.resolved_at, i.scheduled_end_at, ${new Date(now)}) >= ${since}
      -- Maintenance that was called off took no time.
      and (i.type = 'incident' or i.resolved_at is distinct from i.started_at)
    order by i.started_at desc, i.id desc limit ${viewLimits.incidentsOfDays}`;
  const translations = await loadTranslations(
    sql,
    pageId,
    rows.map(({ title }) => title),
  );
  return rows.map(({ id, title, started_at, ended_at, default_language, services }) => ({
    ...{ id, services, title: { [default_language]: title, ...translations.get(title) } },
    startedAt: started_at.toISOString(),
    endedAt: ended_at?.toISOString() ?? null,
  }));
}

/**
 * Loads the ledger entries that began in a month of UTC, given as `YYYY-MM`. Returns `undefined` for a month after the
 * current one, and for a month before both the page and its first incident.
 */
export async function loadIncidentMonth(
  { sql, clock }: Deps,
  pageId: PageId,
  month: string,
): Promise<IncidentMonth | undefined> {
  const now = clock.now();
  const current = monthOf(now);
  if (month > current) return undefined;
  const [page] = await sql<{ since: Date }[]>`
    select least(created_at, (select min(started_at) from incidents where page_id = ${pageId})) as since
    from pages where id = ${pageId}`;
  if (page === undefined || month < monthOf(page.since.getTime())) return undefined;
  const [from, to] = [startOf(month), startOf(neighbourOf(month, 1))];
  const began = sql`
    i.page_id = ${pageId} and i.id in (
      select id from incidents where page_id = ${pageId} and started_at >= ${from} and started_at < ${to}
      order by started_at desc, id desc limit ${viewLimits.incidentsOfMonth})`;
  return {
    ...(month > monthOf(page.since.getTime()) && { earlier: neighbourOf(month, -1) }),
    ...(month < current && { later: neighbourOf(month, 1) }),
    incidents: await loadEntries(sql, pageId, began, now),
  };
}

/** Returns the month of a time (milliseconds since the epoch) as `YYYY-MM`. */
export function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}

function startOf(month: string): Date {
  return new Date(`${month}-01T00:00:00.000Z`);
}

function neighbourOf(month: string, months: number): string {
  const start = startOf(month);
  return monthOf(start.setUTCMonth(start.getUTCMonth() + months));
}

/**
 * Loads the entries of the incidents `i` for which the condition holds, newest first, as of `now` (milliseconds since
 * the epoch). One statement reads an incident and its timeline, so that both show the same moment.
 */
async function loadEntries(
  sql: Sql | Transaction,
  pageId: PageId,
  condition: Fragment,
  now: number,
  isTranslated: (row: LedgerRow) => boolean = () => true,
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
  const translations = await loadTranslations(sql, pageId, rows.filter(isTranslated).flatMap(textsOf));
  return rows.map((row) => toEntry(row, isTranslated(row) ? translations : new Map(), now));
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

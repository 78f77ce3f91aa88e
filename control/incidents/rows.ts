import type { Incident, IncidentType, MaintenanceState } from '../../contract/incidents.js';
import type { DeclaredState, Impact } from '../../contract/public/service-states.js';
import type { IncidentId, MonitorId, PageId } from '../../lib/ids.js';
import { describeSent } from '../../lib/mistakes/describe-sent.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';

export type IncidentRow = {
  id: IncidentId;
  type: IncidentType;
  title: string;
  summary: string;
  started_at: Date;
  resolved_at: Date | null;
  scheduled_end_at: Date | null;
  impact: Impact | null;
  announced_state: MaintenanceState | null;
  /** Counts the changes. */
  revision: number;
};

type ListInput = {
  pageId: PageId;
  /** Lists only incidents without an end. */
  open: boolean;
  limit: number;
};

/** Lists the incidents and maintenance of a page, latest start first. */
export async function listIncidents(
  { sql }: { sql: Sql },
  { pageId, open, limit }: ListInput,
): Promise<Incident[]> {
  const rows = await sql<(Omit<IncidentRow, 'announced_state' | 'revision'> & ServicesRow)[]>`
    select id, type, title, summary, started_at, resolved_at, scheduled_end_at, ${services(sql)}
    from incidents i
    where page_id = ${pageId} and (not ${open} or resolved_at is null)
    order by started_at desc, id desc limit ${limit}`;
  return rows.map((row) => toIncident(row, affectedOf(row)));
}

/**
 * Loads the page of an incident, for an operator who knows only the incident's id.
 *
 * @throws ServiceError `notFound` when there is no such incident.
 */
export async function loadIncidentPage(
  { sql }: { sql: Sql },
  { id }: { id: string },
): Promise<{ pageId: PageId; incidentId: IncidentId }> {
  // Compared as text, so that a string that is not a UUID is the id of no incident instead of an error of the server.
  const [row] = await sql<{ id: IncidentId; page_id: PageId }[]>`
    select id, page_id from incidents where id::text = ${id.toLowerCase()}`;
  if (row === undefined) {
    throw new ServiceError('notFound', {
      message: `There is no incident with the id "${id}".`,
      hint: 'List the incidents of a page with: heartline incident list',
    });
  }
  return { pageId: row.page_id, incidentId: row.id };
}

/** The planned ends of maintenance by the id of the incident, for an operator; the Incident API does not have them. */
export async function loadScheduledEnds(
  { sql }: { sql: Sql },
  { pageId, ids }: { pageId: PageId; ids: readonly string[] },
): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; end: Date }[]>`
    select id, scheduled_end_at as "end" from incidents
    where page_id = ${pageId} and id = any(${[...ids]}::uuid[]) and scheduled_end_at is not null`;
  return new Map(rows.map(({ id, end }) => [id, end.toISOString()]));
}

/**
 * Loads an incident of the page and locks it until the transaction ends. The next change then reads what this one
 * wrote, and announcements have the order of the changes. Returns `undefined` when the page has no such incident.
 */
export async function lockIncident(
  tx: Transaction,
  pageId: PageId,
  incidentId: IncidentId,
): Promise<IncidentRow | undefined> {
  const [row] = await tx<IncidentRow[]>`
    select id, type, title, summary, started_at, resolved_at, scheduled_end_at, impact, announced_state,
      revision
    from incidents where id = ${incidentId} and page_id = ${pageId} for update`;
  return row;
}

/** Notes that an incident, its timeline or its translations were changed, in the transaction of the change. */
export async function countRevision(tx: Transaction, incidentId: IncidentId): Promise<void> {
  await tx`update incidents set revision = revision + 1 where id = ${incidentId}`;
}

/**
 * Refuses slugs of which the page has no monitor.
 *
 * @throws ServiceError `invalidBody` that names up to five of them.
 */
export async function refuseUnknownMonitors(
  tx: Transaction,
  pageId: PageId,
  slugs: readonly string[],
): Promise<void> {
  if (slugs.length === 0) return;
  const known = await tx<{ slug: string }[]>`
    select slug from monitors where page_id = ${pageId} and slug = any(${[...slugs]}::text[])`;
  const unknown = slugs.filter((slug) => !known.some((monitor) => monitor.slug === slug));
  if (unknown.length === 0) return;
  const named = unknown.slice(0, namedMax).map((slug) => describeSent(slug, 'slug'));
  const others = unknown.length - named.length;
  const rest = others > 0 ? ` and ${others} more` : '';
  throw new ServiceError('invalidBody', {
    message: `/monitorSlugs must have slugs of monitors of the page; it has none with ${named.join(', ')}${rest}.`,
  });
}

const namedMax = 5;

/** A service that an incident affects; the state is null when the incident says nothing of this one. */
export type Affected = { slug: string; state: DeclaredState | null };

/** The columns that `services` selects. */
export type ServicesRow = {
  impact: Impact | null;
  services: string[];
  service_states: Readonly<Record<string, DeclaredState>> | null;
};

/** Selects the impact of the incident `i`, its services in their order, and what it says of their states. */
export function services(sql: Sql | Transaction, which: Fragment = sql`true`): Fragment {
  return sql`
    i.impact,
    array(select m.slug from incident_monitors im join monitors m on m.id = im.monitor_id
      where im.incident_id = i.id and ${which} order by im.place) as services,
    (select json_object_agg(m.slug, im.state) from incident_monitors im join monitors m on m.id = im.monitor_id
      where im.incident_id = i.id and im.state is not null and ${which}) as service_states`;
}

/** The same without the services that are hidden from visitors. */
export function publicServices(sql: Sql | Transaction): Fragment {
  return services(sql, sql`not m.hidden`);
}

export function affectedOf({ services, service_states: states }: Omit<ServicesRow, 'impact'>): Affected[] {
  return services.map((slug) => ({ slug, state: states?.[slug] ?? null }));
}

/** The states by slug; `undefined` when there is none. */
export function statesOf(affected: readonly Affected[]): Record<string, DeclaredState> | undefined {
  const said = affected.flatMap(({ slug, state }) => (state === null ? [] : [[slug, state] as const]));
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

/** Attaches the monitors of the page that have one of the slugs, in this order, and detaches all others. */
export async function attachMonitors(
  tx: Transaction,
  pageId: PageId,
  incidentId: IncidentId,
  slugs: readonly string[],
  states: Readonly<Record<string, DeclaredState>> = {},
): Promise<void> {
  await tx`delete from incident_monitors where incident_id = ${incidentId}`;
  if (slugs.length === 0) return;
  // Each row locks its monitor, in the order of ids as every statement that locks several.
  const monitors = await tx<{ id: MonitorId; slug: string }[]>`
    select id, slug from monitors where page_id = ${pageId} and slug = any(${[...slugs]}::text[])
    order by id`;
  if (monitors.length === 0) return;
  const rows = monitors.map(({ id, slug }) => ({
    incident_id: incidentId,
    monitor_id: id,
    place: slugs.indexOf(slug),
    state: states[slug] ?? null,
  }));
  await tx`insert into incident_monitors ${tx(rows)}`;
}

/** Counts the monitors that attachMonitors() would attach. */
export async function countMonitors(
  tx: Transaction,
  pageId: PageId,
  slugs: readonly string[],
): Promise<number> {
  if (slugs.length === 0) return 0;
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from monitors
    where page_id = ${pageId} and slug = any(${[...slugs]}::text[])`;
  return row?.count ?? 0;
}

/** Loads the attached monitors, in the order of the request that attached them. */
export async function loadAffected(tx: Transaction, incidentId: IncidentId): Promise<Affected[]> {
  const rows = await tx<Affected[]>`
    select m.slug, im.state from incident_monitors im join monitors m on m.id = im.monitor_id
    where im.incident_id = ${incidentId} order by im.place`;
  return [...rows];
}

/** Returns the incident as the Incident API represents it. */
export function toIncident(
  row: Omit<IncidentRow, 'announced_state' | 'revision'>,
  affected: readonly Affected[],
): Incident {
  const serviceStates = statesOf(affected);
  return {
    id: row.id,
    type: row.type,
    title: row.title,
    summary: row.summary,
    monitorSlugs: affected.map(({ slug }) => slug),
    ...(row.impact !== null && { impact: row.impact }),
    ...(serviceStates !== undefined && { serviceStates }),
    startedAt: row.started_at.toISOString(),
    resolvedAt: row.resolved_at?.toISOString() ?? null,
  };
}

type HeadRow = Pick<IncidentRow, 'id' | 'type' | 'started_at' | 'resolved_at' | 'scheduled_end_at'> &
  ServicesRow & { published_at: Date };

/** What an incident says of its impact and of its services, as far as it says anything. */
export function saidOf({ impact, service_states: serviceStates }: ServicesRow) {
  return { ...(impact !== null && { impact }), ...(serviceStates !== null && { serviceStates }) };
}

/** Returns what the ledger shows of an incident besides its texts, as of `now` (milliseconds since the epoch). */
export function toLedgerHead(row: HeadRow, now: number) {
  return {
    id: row.id,
    type: row.type,
    services: row.services,
    ...saidOf(row),
    startedAt: row.started_at.toISOString(),
    resolvedAt: row.resolved_at?.toISOString() ?? null,
    publishedAt: row.published_at.toISOString(),
    scheduledEndAt: row.scheduled_end_at?.toISOString() ?? null,
    maintenanceState: maintenanceState(row, now),
  };
}

/**
 * Returns the state of a maintenance at `now` (milliseconds since the epoch); `null` for an incident. A maintenance
 * that is called off before its start has its end at its start, and is completed.
 */
export function maintenanceState(
  times: Pick<IncidentRow, 'type' | 'started_at' | 'resolved_at' | 'scheduled_end_at'>,
  now: number,
): MaintenanceState | null {
  if (times.type === 'incident') return null;
  const { started_at: startedAt, resolved_at: resolvedAt, scheduled_end_at: scheduledEndAt } = times;
  if (resolvedAt !== null && (resolvedAt.getTime() <= now || resolvedAt <= startedAt)) return 'completed';
  if (startedAt.getTime() > now) return 'scheduled';
  return scheduledEndAt !== null && scheduledEndAt.getTime() <= now ? 'completed' : 'in_progress';
}

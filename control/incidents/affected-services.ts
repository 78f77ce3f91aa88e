import type { DeclaredState, Impact } from '../../contract/public/service-states.js';
import type { IncidentId, MonitorId, PageId } from '../../lib/ids.js';
import { describeSent } from '../../lib/mistakes/describe-sent.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';

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

/** Selects the same without the services that are hidden from visitors. */
export function publicServices(sql: Sql | Transaction): Fragment {
  return services(sql, sql`not m.hidden`);
}

export function affectedOf({ services, service_states: states }: Omit<ServicesRow, 'impact'>): Affected[] {
  return services.map((slug) => ({ slug, state: states?.[slug] ?? null }));
}

/** Returns the states by slug; `undefined` when there is none. */
export function statesOf(affected: readonly Affected[]): Record<string, DeclaredState> | undefined {
  const said = affected.flatMap(({ slug, state }) => (state === null ? [] : [[slug, state] as const]));
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

/** Returns the impact and the states of services that an incident declares, without those that it leaves open. */
export function saidOf({ impact, service_states: serviceStates }: ServicesRow) {
  return { ...(impact !== null && { impact }), ...(serviceStates !== null && { serviceStates }) };
}

/** Loads the attached monitors, in the order of the request that attached them. */
export async function loadAffected(tx: Transaction, incidentId: IncidentId): Promise<Affected[]> {
  const rows = await tx<Affected[]>`
    select m.slug, im.state from incident_monitors im join monitors m on m.id = im.monitor_id
    where im.incident_id = ${incidentId} order by im.place`;
  return [...rows];
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

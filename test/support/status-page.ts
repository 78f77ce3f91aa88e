import { createKey } from '../../control/create-key.js';
import type { CreatePageInput } from '../../control/create-page.js';
import type { Page } from '../../control/page.js';
import { type SetPageInput, setPage } from '../../control/set-page.js';
import { outage } from './incidents.js';
import type { MovingClock } from './moving-clock.js';
import { makePage } from './pages.js';
import { dayMs, insertDays, insertMonitor, type MonitorFields } from './points.js';
import type { TestService } from './service.js';

/** A status page with a key of its own: each key may send 60 requests a minute. */
export type StatusSite = {
  page: Page;
  /** Such as `http://acme.localhost:41234`. */
  origin: string;
  incidentKey: string;
};

type Deps = { api: TestService; clock: MovingClock };

export async function makeStatusSite(
  { api, clock }: Deps,
  slug: string,
  input: Partial<CreatePageInput> = {},
  looks: Omit<SetPageInput, 'slug'> = {},
): Promise<StatusSite> {
  const { sql } = api.stores;
  await makePage(sql, { slug, ...input });
  const page = await setPage({ sql, clock }, { slug, ...looks });
  const { key } = await createKey({ sql, clock }, { slug, scope: 'incident' });
  const origin = api.url.replace('127.0.0.1', page.hostname);
  return { page, origin, incidentKey: key };
}

export type ServiceHistory = MonitorFields & {
  /** 90 when not given; 0 is a service that was never checked. */
  days?: number;
  /** Minutes down by how many days ago; all other days are perfect. */
  downMinutes?: Record<number, number>;
  /** How many days ago nothing was measured. */
  gaps?: readonly number[];
};

/** A service with its history up to today, answering in about a tenth of a second. */
export async function addService(
  { api, clock }: Deps,
  { page }: Pick<StatusSite, 'page'>,
  { days = 90, downMinutes = {}, gaps = [], ...fields }: ServiceHistory = {},
): Promise<void> {
  const { sql, clickhouse } = api.stores;
  const now = clock.now();
  const monitorId = await insertMonitor(sql, page.id, {
    state: days > 0 ? 'up' : null,
    every_seconds: 3_600,
    created_at: new Date(now - days * dayMs),
    last_checked_at: days > 0 ? new Date(now) : null,
    ...fields,
  });
  const daysAgo = Array.from({ length: days }, (_, ago) => ago).filter((ago) => !gaps.includes(ago));
  const points = daysAgo.map((ago) => ({
    at: now - ago * dayMs,
    upMs: dayMs - (downMinutes[ago] ?? 0) * 60_000,
    checks: 1_440,
    failed: downMinutes[ago] ?? 0,
    sumMs: 1_440 * Math.round(100 + 30 * Math.sin(ago / 4)),
  }));
  if (points.length > 0) await insertDays(clickhouse, { pageId: page.id, monitorId }, points);
}

/** Opens an incident that began ten minutes ago; answers its id. */
export async function openSiteIncident(
  { api, clock }: Deps,
  { incidentKey }: StatusSite,
  fields: object = {},
): Promise<string> {
  const startedAt = new Date(clock.now() - 600_000).toISOString();
  const answer = await api.post(
    '/api/v1/incidents',
    { ...outage, startedAt, ...fields },
    { key: incidentKey },
  );
  if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return (answer.body as { id: string }).id;
}

/** A maintenance that runs from the one to the other, in hours from now; answers its id. */
export function planMaintenance(
  deps: Deps,
  site: StatusSite,
  { fromHours, toHours, ...fields }: { fromHours: number; toHours: number; title?: string },
): Promise<string> {
  const at = (hours: number) => new Date(deps.clock.now() + hours * 3_600_000).toISOString();
  return openSiteIncident(deps, site, {
    ...{ type: 'maintenance', title: 'New disks', summary: 'Short interruptions are possible.' },
    ...{ startedAt: at(fromHours), scheduledEndAt: at(toHours), ...fields },
  });
}

import type { Clock } from '../../../lib/clock.js';
import type { MonitorId, PageId } from '../../../lib/ids.js';
import { ServiceError } from '../../../lib/service-error.js';
import { dayMs, minuteMs } from '../../../lib/times.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { createMonitor } from '../create-monitor.js';
import { loadUpptime, type UpptimeSite } from './parse-upptime.js';

/** The store deletes older days. */
const keptDays = 400;

/** The result for a site: `days` of history were written; `note` says why there are none, or not all. */
export type ImportedSite = {
  slug: string;
  monitor: 'created' | 'kept' | 'refused';
  days: number;
  /** The first of them, `YYYY-MM-DD`; absent without any. */
  firstDay?: string;
  note?: string;
};

/** Uptime of a UTC day `YYYY-MM-DD`: the milliseconds observed, and those of them that were up. */
export type UptimeDay = {
  pageId: PageId;
  monitorId: MonitorId;
  day: string;
  observedMs: number;
  upMs: number;
};

type Deps = {
  sql: Sql;
  clock: Clock;
  secretKey: string;
  /** Writes imported days. Days that are computed from checks replace them. */
  storeDays(days: readonly UptimeDay[]): Promise<void>;
};

/**
 * Creates a monitor for each site of an Upptime repository that the page does not have yet, and writes its uptime by
 * day, from its first day to today. Days that are computed from checks stay as they are. A repeated import changes
 * only today.
 *
 * @throws ServiceError `invalidBody` when a file does not have Upptime's format; nothing is written then.
 */
export async function importUpptime(
  deps: Deps,
  { pageId, folder }: { pageId: PageId; folder: string },
): Promise<ImportedSite[]> {
  const imported: ImportedSite[] = [];
  for (const site of await loadUpptime(folder)) {
    imported.push(await importSite(deps, pageId, site));
  }
  return imported;
}

async function importSite(deps: Deps, pageId: PageId, site: UpptimeSite): Promise<ImportedSite> {
  const { slug } = site;
  const [known] = await deps.sql<{ id: MonitorId }[]>`
    select id from monitors where page_id = ${pageId} and slug = ${slug}`;
  let monitorId = known?.id;
  try {
    const { name, url } = site;
    monitorId ??= (await createMonitor(deps, { pageId, slug, name, url, kind: 'http' })).id;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { slug, monitor: 'refused', days: 0, note: error.message };
  }
  const own = { pageId, monitorId };
  const days = daysOf(site, deps.clock.now()).map((day) => ({ ...own, ...day }));
  if (days.length > 0) await deps.storeDays(days);
  const note =
    site.startedAt === undefined
      ? { note: `history/${slug}.yml is missing: its days are known from the first day with downtime on` }
      : {};
  const [first] = days;
  return {
    slug,
    monitor: known === undefined ? 'created' : 'kept',
    days: days.length,
    ...(first !== undefined && { firstDay: first.day }),
    ...note,
  };
}

type Day = Pick<UptimeDay, 'day' | 'observedMs' | 'upMs'>;

/** Every day since the start, as far back as the store keeps days. All count as observed: Upptime records no gaps. */
function daysOf({ startedAt, minutesDown }: UpptimeSite, now: number): Day[] {
  const firstDown = [...minutesDown.keys()].sort()[0];
  const start = startedAt ?? (firstDown === undefined ? now : Date.parse(firstDown));
  const from = Math.max(start, (Math.floor(now / dayMs) - keptDays + 1) * dayMs);
  const days: Day[] = [];
  for (let begin = Math.floor(from / dayMs) * dayMs; begin < now && from < now; begin += dayMs) {
    const observed = Math.min(begin + dayMs, now) - Math.max(begin, from);
    const day = new Date(begin).toISOString().slice(0, 10);
    const down = Math.round((minutesDown.get(day) ?? 0) * minuteMs);
    days.push({ day, observedMs: observed, upMs: Math.max(observed - down, 0) });
  }
  return days;
}

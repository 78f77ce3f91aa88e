import type { Clock } from '../../lib/clock.js';
import { ControlError } from '../../lib/control-error.js';
import type { MonitorId, PageId } from '../../lib/ids.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { createMonitor } from './create-monitor.js';
import { readUpptime, type UpptimeSite } from './parse-upptime.js';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Days are kept so long. */
const keptDays = 400;
/** The lowest: whatever is computed from checks, before or after, takes the place of an imported day. */
const importedVersion = 0;

/** What became of a site: `days` of history were written; `note` says why there are none, or not all. */
export type ImportedSite = {
  slug: string;
  monitor: 'created' | 'kept' | 'refused';
  days: number;
  note?: string;
};

type Deps = { sql: Sql; clickhouse: ClickHouseClient; clock: Clock; secretKey: string };

/**
 * Makes a monitor of each site of an Upptime repository which the page does not have yet, and writes its uptime by day,
 * from its first day to today. Days with checks of our own stay as they are. Again, it changes nothing but today.
 *
 * @throws ControlError when there is no such page, or a file is not as Upptime writes it; nothing is written then.
 */
export async function importUpptime(
  deps: Deps,
  { pageSlug, folder }: { pageSlug: string; folder: string },
): Promise<ImportedSite[]> {
  const [page] = await deps.sql<{ id: PageId }[]>`select id from pages where slug = ${pageSlug}`;
  if (page === undefined) throw new ControlError(`There is no page with the slug "${pageSlug}".`);
  const imported: ImportedSite[] = [];
  for (const site of await readUpptime(folder)) {
    imported.push(await importSite(deps, { id: page.id, slug: pageSlug }, site));
  }
  return imported;
}

async function importSite(
  deps: Deps,
  page: { id: PageId; slug: string },
  site: UpptimeSite,
): Promise<ImportedSite> {
  const { slug } = site;
  const [known] = await deps.sql<{ id: MonitorId }[]>`
    select id from monitors where page_id = ${page.id} and slug = ${slug}`;
  let monitorId = known?.id;
  try {
    const { name, url } = site;
    monitorId ??= (await createMonitor(deps, { pageSlug: page.slug, slug, name, url, kind: 'http' })).id;
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    return { slug, monitor: 'refused', days: 0, note: error.message };
  }
  const rows = daysOf(site, deps.clock.now()).map((day) => ({
    ...{ page_id: page.id, monitor_id: monitorId, version: importedVersion },
    ...day,
  }));
  if (rows.length > 0) {
    await deps.clickhouse.insert({ table: 'monitor_days', values: rows, format: 'JSONEachRow' });
  }
  const note =
    site.startedAt === undefined
      ? { note: `history/${slug}.yml is not there: its days are known from the first one with downtime on` }
      : {};
  return { slug, monitor: known === undefined ? 'created' : 'kept', days: rows.length, ...note };
}

type Day = { day: string; observed_ms: number; up_ms: number };

/** Every day since the start, as far back as days are kept, observed in full: Upptime tells no gaps. */
function daysOf({ startedAt, minutesDown }: UpptimeSite, now: number): Day[] {
  const firstDown = [...minutesDown.keys()].sort()[0];
  const start = startedAt ?? (firstDown === undefined ? now : Date.parse(firstDown));
  const from = Math.max(start, (Math.floor(now / dayMs) - keptDays + 1) * dayMs);
  const days: Day[] = [];
  for (let begin = Math.floor(from / dayMs) * dayMs; begin < now && from < now; begin += dayMs) {
    const observed = Math.min(begin + dayMs, now) - Math.max(begin, from);
    const day = new Date(begin).toISOString().slice(0, 10);
    const down = Math.round((minutesDown.get(day) ?? 0) * minuteMs);
    days.push({ day, observed_ms: observed, up_ms: Math.max(observed - down, 0) });
  }
  return days;
}

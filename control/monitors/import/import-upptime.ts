import { httpMethods } from '../../../contract/monitors.js';
import type { Clock } from '../../../lib/clock.js';
import type { MonitorId, PageId } from '../../../lib/ids.js';
import { ServiceError } from '../../../lib/service-error.js';
import { isSlug } from '../../../lib/slug.js';
import { dayMs, minuteMs } from '../../../lib/times.js';
import { toLine } from '../../../lib/visible-line.js';
import type { Sql } from '../../../sql/open-postgres.js';
import type { Actor } from '../../audit/index.js';
import { createMonitor } from '../create-monitor.js';
import type { MonitorSettings } from '../monitor-settings.js';
import { recordImport } from './import-checks.js';
import type { UpptimeSite } from './parse-upptime.js';
import { type SiteMonitor, targetOf } from './upptime-target.js';

/** The store deletes older days. */
const keptDays = 400;

/** The result for a site. */
export type ImportedSite = {
  /** The slug of its monitor, or its slug in Upptime when that was refused. */
  slug: string;
  monitor: 'created' | 'kept' | 'refused';
  /** Number of days of history that were written. */
  days: number;
  /** The first of them, `YYYY-MM-DD`; absent without any. */
  firstDay?: string;
  /** Why there is no history, or not all of it. */
  note?: string;
  /** How to make a refused site importable; absent when only the page can be changed. */
  remedy?: Remedy;
};

/** Create the suggested monitor, or choose another slug for the site, and import again. */
export type Remedy = { create: SiteMonitor & { name: string } } | { rename: string };

/** Uptime of a UTC day `YYYY-MM-DD`: the milliseconds observed, and how many of them were up. */
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
  by: Actor;
  /** A variable of the environment, for the names in addresses such as `https://$HOST/`; none when absent. */
  variable?(name: string): string | undefined;
  /** Writes imported days. Days that are computed from checks replace them. */
  storeDays(days: readonly UptimeDay[]): Promise<void>;
};

type Input = {
  pageId: PageId;
  sites: readonly UpptimeSite[];
  /** Chosen slugs of monitors, by Upptime's slug. */
  renames?: ReadonlyMap<string, string>;
};

/**
 * Creates a monitor for each site of an Upptime repository that the page does not have yet, and writes its uptime by
 * day, from its first day to today. Days that are computed from checks stay as they are. A site that cannot become a
 * monitor is refused, and its days are written once the page has a monitor with its slug. A repeated import changes
 * only today.
 *
 * @throws ServiceError `invalidBody` when a site to rename is not there; nothing is written then.
 */
export async function importUpptime(
  deps: Deps,
  { pageId, sites, renames = new Map() }: Input,
): Promise<ImportedSite[]> {
  const slugs = sites.map(({ slug }) => slug);
  const unknown = [...renames.keys()].find((slug) => !slugs.includes(slug));
  if (unknown !== undefined) {
    throw new ServiceError('invalidBody', {
      message: `There is no site ${unknown} to rename; the sites are ${slugs.join(', ')}.`,
    });
  }
  const chosen = monitorSlugs(slugs, renames);
  const imported: ImportedSite[] = [];
  for (const [index, site] of sites.entries()) {
    imported.push(await importSite(deps, pageId, site, chosen[index] ?? { slug: site.slug }));
  }
  await recordImport(deps, pageId, {
    source: 'upptime',
    sites: imported.length,
    created: imported.filter(({ monitor }) => monitor === 'created').length,
    days: imported.reduce((sum, { days }) => sum + days, 0),
  });
  return imported;
}

async function importSite(
  deps: Deps,
  pageId: PageId,
  site: UpptimeSite,
  chosen: MonitorSlug,
): Promise<ImportedSite> {
  if (site.fault !== undefined) return refused(site.slug, site.fault);
  if ('reason' in chosen) return { ...refused(site.slug, chosen.reason), remedy: { rename: site.slug } };
  const { slug } = chosen;
  const [known] = await deps.sql<{ id: MonitorId }[]>`
    select id from monitors where page_id = ${pageId} and slug = ${slug}`;
  const monitor = known ?? (await createFor(deps, pageId, slug, site));
  if ('note' in monitor) return monitor;
  const own = { pageId, monitorId: monitor.id };
  const days = daysOf(site, deps.clock.now()).map((day) => ({ ...own, ...day }));
  if (days.length > 0) await deps.storeDays(days);
  const renamed = slug === site.slug ? [] : [`${site.slug} in Upptime`];
  const start = site.startUnknown === undefined ? [] : [site.startUnknown];
  // A monitor that is there already is as the page has it, whatever the site says.
  const different = known === undefined ? differences(site) : [];
  const note = [...renamed, ...start, ...different].join('; ');
  const [first] = days;
  return {
    ...{ slug, monitor: known === undefined ? 'created' : 'kept', days: days.length },
    ...(first !== undefined && { firstDay: first.day }),
    ...(note !== '' && { note }),
  };
}

async function createFor(
  deps: Deps,
  pageId: PageId,
  slug: string,
  site: UpptimeSite,
): Promise<{ id: MonitorId } | (ImportedSite & { note: string })> {
  const url = site.url.replaceAll(/\$([A-Z][A-Z0-9_]*)/g, (text, key) => deps.variable?.(key) || text);
  const isFilledIn = url !== site.url;
  const target = targetOf({ ...site, url });
  if (isFilledIn && 'reason' in target) return refused(slug, filledInBadly);
  // In the form of a monitor's name: one line of at most 200 characters.
  const name = [...toLine(site.name)].slice(0, 200).join('');
  if ('reason' in target) {
    return { ...refused(slug, target.reason), remedy: { create: { name, ...target.suggested } } };
  }
  try {
    const settings = target.kind === 'http' ? settingsOf(site) : {};
    return await createMonitor(deps, { pageId, slug, name, ...target, ...settings });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The sentence may name the address, in which a secret is.
    if (isFilledIn && error.kind === 'invalidBody') return refused(slug, filledInBadly);
    // Full pages and changes at the same time, which no other monitor would mend.
    if (error.kind !== 'invalidBody') return refused(slug, error.message);
    return { ...refused(slug, error.message), remedy: { create: { name, ...target } } };
  }
}

/** Settings of a check of HTTP. Those that no monitor can have are left out; differences() names them. */
function settingsOf({
  settings,
}: UpptimeSite): Partial<Pick<MonitorSettings, 'method' | 'expectStatus' | 'expectBody'>> {
  const { method: named, expectStatus, expectBody } = settings ?? {};
  const method = httpMethods.find((one) => one === named);
  return {
    ...(method !== undefined && { method }),
    ...(expectStatus !== undefined && { expectStatus }),
    ...(expectBody !== undefined && { expectBody }),
  };
}

function differences({ settings, notes = [] }: UpptimeSite): string[] {
  const method = settings?.method;
  const isUnknown = method !== undefined && !httpMethods.some((one) => one === method);
  return [...(isUnknown ? ['its method is not there: GET takes its place'] : []), ...notes];
}

const filledInBadly = 'its URL, with the variables of the environment filled in, cannot be checked';

function refused(slug: string, reason: string): ImportedSite & { note: string } {
  return { slug, monitor: 'refused', days: 0, note: reason };
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

/** The slug of the monitor of a site, or why there is none. */
type MonitorSlug = { slug: string } | { reason: string };

/**
 * Finds the slugs of the monitors of sites, in their order. `renames` holds chosen ones by Upptime's slug. Otherwise a
 * slug stays as it is, or has small letters for capitals and `-` for `_` and `.`, which a monitor's slug cannot have.
 * Two sites never get the same one: a chosen or unchanged slug goes before a changed one, and of two equals neither.
 */
export function monitorSlugs(slugs: readonly string[], renames: ReadonlyMap<string, string>): MonitorSlug[] {
  const wanted = slugs.map((slug) => renames.get(slug) ?? slug.toLowerCase().replaceAll(/[_.]/g, '-'));
  const isExact = wanted.map((slug, index) => renames.has(slugs[index] ?? '') || slug === slugs[index]);
  return wanted.map((slug, index) => {
    if (!isSlug(slug)) return { reason: `"${slug}" cannot be the slug of a monitor` };
    const rivals = [...wanted.keys()].filter(
      (other) => other !== index && wanted[other] === slug && (isExact[other] || !isExact[index]),
    );
    const [rival] = rivals;
    if (rival === undefined) return { slug };
    return { reason: `the site ${slugs[rival]} has the slug ${slug}, too` };
  });
}

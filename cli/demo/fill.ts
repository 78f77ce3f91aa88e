import type { LedgerEntry } from '../../contract/incidents.js';
import { figureKinds } from '../../contract/public/public-figures.js';
import { loadLedger, recordIncident } from '../../control/incidents/index.js';
import { createMonitor, listMonitors, type Monitor, putGroup } from '../../control/monitors/index.js';
import {
  changePage,
  findPage,
  type GivenFigure,
  type Page,
  publishResponseTimes,
} from '../../control/pages/index.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import { everySeconds } from './checks.js';
import { type DemoDeps, historyDays } from './extent.js';
import { demoGroups, demoLanguages, demoMonitors, urlOf } from './monitors.js';
import type { Times } from './plot.js';
import { type Chapter, story, type Text } from './story.js';

const historyMs = historyDays * dayMs;
/** The demo pings the heartbeat each minute. Once a day is enough, so that it does not go down when the demo stops. */
const heartbeat = { periodSeconds: 24 * 3600, graceSeconds: 3600 };

/** One of the last day, in which a release was slow, and one of the week. */
const demoFigures: readonly GivenFigure[] = [
  { title: 'Checkout', service: 'shop', endpoint: '/checkout', shows: [...figureKinds], window: '24h' },
  { title: 'Shop', service: 'shop', shows: ['p95', 'successRate'], window: '7d' },
];

/** A page that is filled, now or by an earlier run. `filledAt` is in milliseconds since the epoch. */
export type FilledPage = { page: Page; filledAt: number };

/**
 * Gives a page without monitors its looks, monitors and incidents as if it had been monitored for 90 days;
 * writeChecks() writes the checks. The creation time of the first monitor marks the start of the history, so that a
 * second run keeps what is there and completes what an earlier run left out.
 *
 * @throws ServiceError `notFound` for a missing page, `conflict` for a page with monitors of its own.
 */
export async function fillPage(deps: DemoDeps, slug: string): Promise<FilledPage> {
  const page = await findPage(deps, { slug });
  if (page === undefined) {
    throw new ServiceError('notFound', {
      message: `There is no page with the slug "${slug}"; create it with: heartline page create --slug ${slug} --hostname ${slug}.localhost`,
    });
  }
  const monitors = await listMonitors(deps, page.id);
  const start = startOf(slug, monitors) ?? firstMinute(deps.clock.now());
  if (monitors.length === 0) await dressPage(deps, page, start);
  await makeMonitors(deps, page.id, monitors, start);
  const filledAt = start + historyMs;
  await writeStory(deps, page, filledAt);
  return { page, filledAt };
}

/** Returns when the history of a page begins, in milliseconds since the epoch; `undefined` without monitors. */
function startOf(slug: string, monitors: readonly Monitor[]): number | undefined {
  if (monitors.length === 0) return undefined;
  const own = monitors.find((monitor) => 'url' in monitor && monitor.url === urlOf(monitor.slug));
  if (own === undefined) {
    throw new ServiceError('conflict', {
      message: `The page "${slug}" has monitors of its own; name another page with --page, or leave --page out: the demo then takes a page of its own.`,
    });
  }
  return own.createdAt.getTime();
}

function firstMinute(now: number): number {
  return Math.floor(now / minuteMs) * minuteMs - historyMs;
}

async function dressPage(deps: DemoDeps, page: Page, start: number): Promise<void> {
  await changePage(deps, page.id, {
    languages: [...new Set([...page.languages, ...demoLanguages])],
    defaultLanguage: 'en',
    accent: '#3346d3',
    figures: demoFigures,
    footerLinks: [
      { label: 'Documentation', url: 'https://example.com/docs' },
      { label: 'Support', url: 'mailto:support@example.com' },
    ],
  });
  await publishResponseTimes(deps, { pageId: page.id, since: new Date(start) });
}

/**
 * Creates the monitors that the page lacks. The service checks only the heartbeat: it would send requests to public
 * addresses, and a demo must not bother their owners. While the demo runs, it writes the checks of the other monitors
 * as imported checks.
 */
async function makeMonitors(
  { sql, secretKey, by }: DemoDeps,
  pageId: PageId,
  present: readonly Monitor[],
  start: number,
): Promise<void> {
  const clock = { now: () => start };
  const missing = demoMonitors.filter(({ slug }) => !present.some((monitor) => monitor.slug === slug));
  if (missing.length > 0)
    for (const group of demoGroups) await putGroup({ sql, clock, by }, { pageId, ...group });
  for (const { slug, group, name, names, usualMs } of missing) {
    const common = { ...{ pageId, slug, group, name, names, everySeconds }, isUnscheduled: true };
    await createMonitor(
      { sql, secretKey, clock, by },
      usualMs === null
        ? { ...common, kind: 'heartbeat', ...heartbeat }
        : { ...common, kind: 'http', url: urlOf(slug) },
    );
  }
}

/** Writes the chapters that the ledger lacks. Recognizes a chapter by its start, because its texts may have changed. */
async function writeStory(deps: DemoDeps, page: Page, filledAt: number): Promise<void> {
  const known = new Set((await loadLedger(deps, page.id)).map(({ startedAt }) => Date.parse(startedAt)));
  for (const chapter of story) {
    if (!known.has(timeOf(chapter.startedAt, filledAt))) await writeChapter(deps, page, chapter, filledAt);
  }
}

async function writeChapter(deps: DemoDeps, page: Page, chapter: Chapter, filledAt: number): Promise<void> {
  const { type, title, summary, services, publishedAt, startedAt, scheduledEndAt, updates } = chapter;
  const input = {
    type,
    title: title.en,
    summary: summary.en,
    monitorSlugs: [...services],
    startedAt: new Date(timeOf(startedAt, filledAt)),
    resolvedAt: null,
    scheduledEndAt: scheduledEndAt === undefined ? null : new Date(timeOf(scheduledEndAt, filledAt)),
  };
  await recordIncident(deps, {
    ...{ pageId: page.id, input },
    publishedAt: timeOf(publishedAt, filledAt),
    updates: updates.map(({ at, status, body }) => ({ at: timeOf(at, filledAt), status, body: body.en })),
    texts: [title, summary, ...updates.map(({ body }) => body)].map(provide),
  });
}

function provide({ en, ...translations }: Text): { text: string; translations: Record<string, string> } {
  return { text: en, translations };
}

/** Planned work begins and ends on the hour. */
function timeOf(minutes: number, filledAt: number): number {
  const at = filledAt + minutes * minuteMs;
  return minutes > 0 ? Math.floor(at / hourMs) * hourMs : at;
}

/** Loads when the page was filled and when its open incident was resolved, which all that happens on it depends on. */
export async function loadTimes(
  deps: DemoDeps,
  { page, filledAt }: Pick<FilledPage, 'page' | 'filledAt'>,
): Promise<Times> {
  const resolvedAt = findOpenChapter(await loadLedger(deps, page.id), filledAt)?.resolvedAt;
  return {
    filledAt,
    searchOpenUntil: typeof resolvedAt === 'string' ? Date.parse(resolvedAt) : Number.POSITIVE_INFINITY,
  };
}

/** Returns the open incident of the story if the page has it. Its monitor is down until the incident is resolved. */
export function findOpenChapter(ledger: readonly LedgerEntry[], filledAt: number): LedgerEntry | undefined {
  const open = story.find(
    ({ type, updates }) => type === 'incident' && updates.at(-1)?.status !== 'resolved',
  );
  const startedAt = new Date(timeOf(open?.startedAt ?? 0, filledAt)).toISOString();
  return ledger.find((entry) => entry.type === 'incident' && entry.startedAt === startedAt);
}

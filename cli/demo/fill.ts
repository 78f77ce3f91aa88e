import type { LedgerEntry } from '../../contract/incidents.js';
import { loadLedger, recordIncident } from '../../control/incidents/index.js';
import type { Monitor } from '../../control/monitors/index.js';
import { createMonitor, listMonitors } from '../../control/monitors/index.js';
import type { Page } from '../../control/pages/index.js';
import { changePage, findPage, publishResponseTimes } from '../../control/pages/index.js';
import { ControlError } from '../../lib/control-error.js';
import type { PageId } from '../../lib/ids.js';
import { everySeconds } from './checks.js';
import type { DemoDeps } from './demo-deps.js';
import { demoLanguages, demoMonitors, urlOf } from './monitors.js';
import { type Chapter, story, type Text } from './story.js';

const minuteMs = 60_000;
const hourMs = 3_600_000;
export const historyDays = 90;
const historyMs = historyDays * 24 * hourMs;
/** Pinged by the demo, but once a day is enough, so that it does not go down as soon as nobody runs the demo. */
const heartbeat = { periodSeconds: 24 * 3600, graceSeconds: 3600 };

/** The page as it was filled, whether just now or before. `filledAt` is in milliseconds since the epoch. */
export type FilledPage = { page: Page; filledAt: number };

/**
 * Gives a page without monitors its looks, monitors and incidents as if it had been watched for 90 days; their checks
 * are written by writeChecks(). When the first monitor was made says when that began, so that again it changes nothing
 * of what is there, and completes what broke off.
 *
 * @throws ControlError when there is no such page, or it has monitors that are not the demo's.
 */
export async function fillPage(deps: DemoDeps, slug: string): Promise<FilledPage> {
  const page = await findPage(deps, { slug });
  if (page === undefined) {
    throw new ControlError(
      `There is no page with the slug "${slug}"; make it with: heartline page create --slug ${slug} --hostname ${slug}.localhost`,
    );
  }
  const monitors = await listMonitors(deps, page.id);
  const start = startOf(slug, monitors) ?? firstMinute(deps.clock.now());
  if (monitors.length === 0) await dressPage(deps, page, start);
  await makeMonitors(deps, page.id, monitors, start);
  const filledAt = start + historyMs;
  await writeStory(deps, page, filledAt);
  return { page, filledAt };
}

/** When the history begins that a page has; undefined when it has no monitors. */
function startOf(slug: string, monitors: readonly Monitor[]): number | undefined {
  if (monitors.length === 0) return undefined;
  const own = monitors.find((monitor) => 'url' in monitor && monitor.url === urlOf(monitor.slug));
  if (own === undefined) {
    throw new ControlError(
      `The page "${slug}" has monitors of its own; name another one with --page, so that nothing is mixed with them.`,
    );
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
    footerLinks: [
      { label: 'Documentation', url: 'https://example.com/docs' },
      { label: 'Support', url: 'mailto:support@example.com' },
    ],
  });
  await publishResponseTimes(deps, { pageId: page.id, since: new Date(start) });
}

/**
 * Of a kind that fits what they stand for, and, but for the heartbeat, never checked by the service: from there it asks
 * public addresses only, and a demo must not bother anyone who has one. The demo itself writes their checks, by the way
 * that imported ones take, for as long as it runs.
 */
async function makeMonitors(
  { sql, secretKey }: DemoDeps,
  pageId: PageId,
  present: readonly Monitor[],
  start: number,
): Promise<void> {
  const clock = { now: () => start };
  for (const { slug, name, names, usualMs } of demoMonitors) {
    if (present.some((monitor) => monitor.slug === slug)) continue;
    const common = { ...{ pageId, slug, name, names, everySeconds }, isUnscheduled: true };
    await createMonitor(
      { sql, secretKey, clock },
      usualMs === null
        ? { ...common, kind: 'heartbeat', ...heartbeat }
        : { ...common, kind: 'http', url: urlOf(slug) },
    );
  }
}

/** Chapters that are in the ledger are known by when they start: their texts may have been changed since. */
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

/** What is planned begins and ends on the hour. */
function timeOf(minutes: number, filledAt: number): number {
  const at = filledAt + minutes * minuteMs;
  return minutes > 0 ? Math.floor(at / hourMs) * hourMs : at;
}

/** The open incident of the story, as long as the page has it; its monitor is down until it is resolved. */
export function findOpenChapter(ledger: readonly LedgerEntry[], filledAt: number): LedgerEntry | undefined {
  const open = story.find(
    ({ type, updates }) => type === 'incident' && updates.at(-1)?.status !== 'resolved',
  );
  const startedAt = new Date(timeOf(open?.startedAt ?? 0, filledAt)).toISOString();
  return ledger.find((entry) => entry.type === 'incident' && entry.startedAt === startedAt);
}

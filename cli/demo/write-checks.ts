import { loadLedger } from '../../control/incidents/index.js';
import type { Monitor } from '../../control/monitors/index.js';
import {
  importChecks,
  listMonitors,
  type NewestCheck,
  noteImportedChecks,
} from '../../control/monitors/index.js';
import { checksOf, everySeconds, type Series, type Span } from './checks.js';
import type { DemoDeps } from './demo-deps.js';
import { type FilledPage, findOpenChapter } from './fill.js';
import { demoMonitors } from './monitors.js';
import { outages } from './story.js';

const minuteMs = 60_000;

/**
 * Writes the checks that the monitors of a filled page lack, up to now: at first all of their history, later those since
 * the last ones. They go the way of imported checks, so that every figure is computed from them; what was written before
 * is written again the same. Answers how many were written.
 */
export async function writeChecks(
  deps: DemoDeps,
  { page, filledAt }: FilledPage,
  onProgress: (written: number) => void = () => {},
): Promise<number> {
  const monitors = await listMonitors(deps, page.id);
  const openUntil = await readOpenUntil(deps, page.id, filledAt);
  const newest: NewestCheck[] = [];
  async function* lines(): AsyncGenerator<string> {
    for (const monitor of monitors) {
      const series = seriesOf(monitor, filledAt, openUntil);
      if (series === undefined || monitor.pausedAt !== null || isChecked(monitor)) continue;
      const last = yield* linesOf(monitor, series, deps.clock.now());
      if (last !== undefined) newest.push(last);
    }
  }
  const { imported } = await importChecks(deps, {
    pageId: page.id,
    lines: lines(),
    onProgress: ({ imported }) => onProgress(imported),
  });
  if (newest.length > 0) await noteImportedChecks(deps, newest);
  return imported;
}

/** The service itself checks the heartbeat, once it has a history. */
function isChecked({ kind, nextDueAt }: Monitor): boolean {
  return kind === 'heartbeat' && nextDueAt !== null;
}

/** The lines of the checks that are missing; returns what the newest of them comes to. */
function* linesOf(monitor: Monitor, series: Series, now: number): Generator<string, NewestCheck | undefined> {
  const from = monitor.lastCheckedAt?.getTime() ?? Number.NEGATIVE_INFINITY;
  let newest: NewestCheck | undefined;
  for (const { at, ok, up, ms } of checksOf(series, { from: Math.max(from, series.start - 1), to: now })) {
    yield JSON.stringify({ monitor: monitor.slug, at: new Date(at).toISOString(), ok, up, ms });
    const state = up ? 'up' : 'down';
    const stateSince = newest?.state === state ? newest.stateSince : new Date(at);
    newest = { monitorId: monitor.id, at: new Date(at), ok, state, stateSince };
  }
  return newest;
}

/** When the open incident was resolved; Infinity while it is not. */
async function readOpenUntil(deps: DemoDeps, pageId: FilledPage['page']['id'], filledAt: number) {
  const resolvedAt = findOpenChapter(await loadLedger(deps, pageId), filledAt)?.resolvedAt;
  return typeof resolvedAt === 'string' ? Date.parse(resolvedAt) : Number.POSITIVE_INFINITY;
}

/** Undefined for a monitor that is not the demo's. */
function seriesOf({ slug, createdAt }: Monitor, filledAt: number, openUntil: number): Series | undefined {
  const place = demoMonitors.findIndex((monitor) => monitor.slug === slug);
  const monitor = demoMonitors[place];
  if (monitor === undefined) return undefined;
  const spans = outages
    .filter((outage) => outage.slug === slug)
    .map(
      ({ from, until }): Span => ({
        from: filledAt + from * minuteMs,
        to: until === undefined ? openUntil : filledAt + until * minuteMs,
      }),
    );
  // Evenly one after the other, so that the page is never long without a check.
  const start = createdAt.getTime() + (place * everySeconds * 1000) / demoMonitors.length;
  return { slug, seed: 100 * (place + 1), usualMs: monitor.usualMs, start, outages: spans };
}

import { loadLedger } from '../../control/incidents/index.js';
import type { Monitor } from '../../control/monitors/index.js';
import {
  listMonitors,
  type NewestCheck,
  noteImportedChecks,
  storeChecks,
} from '../../control/monitors/index.js';
import { minuteMs } from '../../lib/times.js';
import { checksOf, everySeconds, type Series, type Span } from './checks.js';
import type { DemoDeps } from './demo-deps.js';
import { type FilledPage, findOpenChapter } from './fill.js';
import { demoMonitors } from './monitors.js';
import { outages } from './story.js';

/**
 * Writes the checks that the monitors of a filled page lack, up to now: at first their whole history, later those since
 * the last check. They are imported like any checks, so that every figure is computed from them; writing a check twice
 * changes nothing. Returns the number of checks written.
 */
export async function writeChecks(
  deps: DemoDeps,
  { page, filledAt }: FilledPage,
  onProgress: (written: number) => void = () => {},
): Promise<number> {
  const monitors = await listMonitors(deps, page.id);
  const openUntil = await loadOpenUntil(deps, page.id, filledAt);
  const newest: NewestCheck[] = [];
  async function* lines(): AsyncGenerator<string> {
    for (const monitor of monitors) {
      const series = seriesOf(monitor, filledAt, openUntil);
      if (series === undefined || monitor.pausedAt !== null || isChecked(monitor)) continue;
      const last = yield* linesOf(monitor, series, deps.clock.now());
      if (last !== undefined) newest.push(last);
    }
  }
  const { imported } = await storeChecks(deps, {
    pageId: page.id,
    lines: lines(),
    onProgress: ({ imported }) => onProgress(imported),
  });
  if (newest.length > 0) await noteImportedChecks(deps, newest);
  return imported;
}

/** Whether the service checks the monitor: it checks the heartbeat, once that has a history. */
function isChecked({ kind, nextDueAt }: Monitor): boolean {
  return kind === 'heartbeat' && nextDueAt !== null;
}

/** Yields a line for each missing check, and returns the state after the newest one. */
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

/** Returns when the open incident was resolved, in milliseconds since the epoch; Infinity while it is open. */
async function loadOpenUntil(deps: DemoDeps, pageId: FilledPage['page']['id'], filledAt: number) {
  const resolvedAt = findOpenChapter(await loadLedger(deps, pageId), filledAt)?.resolvedAt;
  return typeof resolvedAt === 'string' ? Date.parse(resolvedAt) : Number.POSITIVE_INFINITY;
}

/** Returns `undefined` for a monitor that the demo did not create. */
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
  // The starts are spread evenly over the interval, so that the page always has a recent check.
  const start = createdAt.getTime() + (place * everySeconds * 1000) / demoMonitors.length;
  return { slug, seed: 100 * (place + 1), usualMs: monitor.usualMs, start, outages: spans };
}

import {
  listMonitors,
  type Monitor,
  type NewestCheck,
  noteImportedChecks,
  storeChecks,
} from '../../control/monitors/index.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import { checksOf, detailsOf, everySeconds, type Series, type Span } from './checks.js';
import type { DemoDeps } from './extent.js';
import { type FilledPage, loadTimes } from './fill.js';
import { demoMonitors } from './monitors.js';
import { outages } from './story.js';

/** Only the checks of so many days are read one by one, with their phases. */
const detailedMs = 16 * dayMs;

/**
 * Writes the checks that the monitors of a filled page lack, up to now: at first their whole history, later those since
 * the last check. They are imported like any checks, so that every figure is computed from them; writing a check twice
 * changes nothing. Returns the number of checks written.
 */
export async function writeChecks(
  deps: DemoDeps,
  filled: FilledPage,
  onProgress: (written: number) => void = () => {},
): Promise<number> {
  const { page, filledAt } = filled;
  const monitors = await listMonitors(deps, page.id);
  const { searchOpenUntil } = await loadTimes(deps, filled);
  const newest: NewestCheck[] = [];
  async function* lines(): AsyncGenerator<string> {
    for (const monitor of monitors) {
      const series = seriesOf(monitor, filledAt, searchOpenUntil);
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
  for (const check of checksOf(series, { from: Math.max(from, series.start - 1), to: now })) {
    const { at, ok, up, ms } = check;
    const details = at < now - detailedMs ? {} : detailsOf(series, check);
    yield JSON.stringify({ monitor: monitor.slug, at: new Date(at).toISOString(), ok, up, ms, ...details });
    const state = up ? 'up' : 'down';
    const stateSince = newest?.state === state ? newest.stateSince : new Date(at);
    newest = { monitorId: monitor.id, at: new Date(at), ok, state, stateSince };
  }
  return newest;
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

import type { ShownService } from '../../../contract/public/status-page.js';
import { dayMs, minuteMs } from '../../../lib/times.js';
import { firstDay } from '../../state/day-marks.js';
import type { GroupPart } from '../../state/groups.js';
import type { ViewContext } from '../view-context.js';

/**
 * Uptime, and the time that it is measured over. A percentage of a few hours says little, so that the first day has the
 * time down instead. Returns `undefined` when nothing was observed.
 */
export function describeUptime(
  context: ViewContext,
  { uptime, coverage, dailyMinutesDown }: ShownService,
  historyDays: number,
): string | undefined {
  if (uptime === 'N/A') return undefined;
  const { texts, format, view } = context;
  const first = firstDay(view.now, historyDays);
  const { since = first, observedSeconds = Number.POSITIVE_INFINITY } = coverage ?? {};
  if (observedSeconds * 1000 < dayMs) {
    const minutes = Object.values(dailyMinutesDown).reduce((sum, some) => sum + some, 0);
    const day = format.day(since);
    return minutes === 0
      ? texts.soFar.good({ day })
      : texts.soFar.down({ duration: format.duration(minutes * minuteMs), day });
  }
  return sayUptime(context, uptime, since > first ? { since } : { historyDays });
}

/** The uptime of a group. Returns `undefined` while nothing of it was observed for a day. */
export function describeJointUptime(
  context: ViewContext,
  { uptime, services }: GroupPart<unknown>,
  historyDays: number,
): string | undefined {
  const first = firstDay(context.view.now, historyDays);
  const observed = services.filter(({ service }) => (service.coverage?.observedSeconds ?? 0) * 1000 >= dayMs);
  const [since] = observed.map(({ service }) => service.coverage?.since ?? first).sort();
  if (uptime === 'N/A' || since === undefined) return undefined;
  return sayUptime(context, uptime, since > first ? { since } : { historyDays });
}

function sayUptime(
  { texts, format }: ViewContext,
  uptime: string,
  time: { since: string } | { historyDays: number },
): string {
  const percent = format.writtenPercent(uptime);
  return 'since' in time
    ? texts.uptime.since({ percent, day: format.day(time.since) })
    : texts.uptime.over({ percent, days: time.historyDays });
}

import type {
  MonitorPhases,
  MonitorSeries,
  StoredCheck,
} from '../../../../../contract/manage/monitor-checks.js';
import type { ManagedMonitor } from '../../../../../contract/manage/monitors.js';
import { endsOf, pollMsOf, timeOf } from '../../../address/range.js';
import { useAddress } from '../../../address/use-address.js';
import { type Happenings, useHappenings } from '../../../kit/chart/use-events.js';
import { pagePath } from '../../../reads/api-path.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';

export type ChecksAnswer = { items: readonly StoredCheck[]; nextCursor: string | null };

export type MonitorReads = {
  monitor: Read<ManagedMonitor>;
  series: Read<MonitorSeries>;
  phases: Read<MonitorPhases>;
  checks: Read<ChecksAnswer>;
  happenings: Happenings;
  /** The time of the address that the checks are before. */
  before: string | undefined;
};

const pollMs = 10_000;
const checksMax = 25;

/**
 * All that the screen of a monitor shows, read side by side. The checks are those before `before` of the address, where
 * that is a time in the range.
 */
export function useMonitor(monitor: string): MonitorReads {
  const { slug } = usePage();
  const { range, query } = useAddress();
  const ends = endsOf(range, Date.now());
  const everyMs = pollMsOf(range, Date.now());
  const pathOf = (name: string, more = {}) =>
    pagePath(slug, `/monitors/${encodeURIComponent(monitor)}${name}`, more);
  const before = ends && timeWithin(query['before'], ends);
  const part = { ...range, ...(before !== undefined && { to: before }), limit: String(checksMax) };
  return {
    before,
    monitor: useRead(pathOf(''), { everyMs: pollMs }),
    series: useRead(pathOf('/series', range), { everyMs }),
    phases: useRead(pathOf('/phases', range), { everyMs }),
    happenings: useHappenings(slug, range),
    checks: useRead(pathOf('/checks', part), { everyMs: before === undefined ? everyMs : undefined }),
  };
}

/** A link, or another choice of the range, may leave a time that the range does not have. */
function timeWithin(
  text: string | undefined,
  { from, to }: { from: number; to: number },
): string | undefined {
  const at = text === undefined ? undefined : timeOf('to', text, to);
  return at !== undefined && at > from && at <= to ? text : undefined;
}

import { judgeReporters, type ReporterStanding } from './judge-reporters.js';
import type { Observation } from './observation.js';
import type { Range } from './preview-rule.js';
import type { Rule } from './rule.js';

/** A service or reporter with the times in which it was late, oldest first. */
export type PastReporter = Omit<ReporterStanding, 'pageId' | 'reporting' | 'lastReportAt'> & {
  /** The interval that it promises, or usually keeps. */
  expectedSeconds: number;
  firstAt: number;
  /** When it said goodbye, after its last report; null when it did not. */
  stoppedAt: number | null;
  gaps: readonly Range[];
};

type Reporting = ReporterStanding['reporting'];
type Life = { ageMs: number; lifeMs: number; expectedSeconds: number; hasStopped: boolean };

/**
 * Returns what a rule about services and reporters would have found at each minute: 1 as the figure of one that was late or silent,
 * 0 for one that reported as it should. The minutes have to come in their order.
 *
 * @param reportingOf how a source is, by the age of its last report, the time since its first one, and its interval.
 */
export function observeReporters(
  rule: Rule,
  reporters: readonly PastReporter[],
  reportingOf: (life: Life) => Reporting,
): (at: number) => readonly Observation[] {
  const past = reporters.map((reporter) => standingOf(rule, reporter, reportingOf));
  return (at) => past.flatMap((observe) => observe(at));
}

function standingOf(
  rule: Rule,
  { firstAt, stoppedAt, expectedSeconds, gaps, ...reporter }: PastReporter,
  reportingOf: (life: Life) => Reporting,
): (at: number) => Observation[] {
  let next = 0;
  /** By state, on which alone it depends: two weeks have 20,160 minutes. */
  const found = new Map<Reporting, Observation[]>();
  const reportingAt = (at: number): Reporting => {
    if (at < firstAt) return 'unknown';
    for (let gap = gaps[next]; gap !== undefined && gap.to <= at; gap = gaps[next]) next += 1;
    const gap = gaps[next];
    return reportingOf({
      ageMs: gap === undefined || at < gap.from ? 0 : at - gap.from,
      ...{ lifeMs: at - firstAt, expectedSeconds, hasStopped: stoppedAt !== null && at >= stoppedAt },
    });
  };
  return (at) => {
    const reporting = reportingAt(at);
    const known = found.get(reporting);
    if (known !== undefined) return known;
    const standing = { ...reporter, pageId: rule.pageId, reporting, lastReportAt: new Date(firstAt) };
    const judged = judgeReporters(rule, [standing], at).map((one) => ({
      ...one,
      ...(one.look !== 'none' && { value: one.look === 'bad' ? 1 : 0 }),
    }));
    found.set(reporting, judged);
    return judged;
  };
}

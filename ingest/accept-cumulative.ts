import type { Acknowledgement } from '../contract/events.js';
import { limits, withCommas } from '../contract/limits.js';
import type { AcceptOtlpDeps, Incoming } from './accept-events.js';
import { describe, summarise } from './acknowledge.js';
import type { CumulativeReason } from './cumulative/advance.js';
import type { NamedPoint } from './cumulative/count-points.js';
import { count, type Handed } from './hand-to-commit.js';
import { nameEvents } from './names/name-events.js';
import { nameVersions } from './names/name-versions.js';
import { untilNamed } from './names/until-named.js';
import { describeOtlpFault } from './otlp/describe-fault.js';
import { type LeftOut, noteUnread } from './otlp/left-out.js';
import type { CumulativePoint } from './otlp/read-points.js';
import type { Batch } from './read/batch.js';
import { type Drops, guardEndpointsPerBatch } from './read/guard.js';
import { normalizeReleased } from './read/normalize.js';
import { windowV1 } from './read/time-window.js';
import { beginningOfCumulative, type Choice } from './signals/decide-signal.js';
import { askFirst, choicesOf } from './signals/leave-out.js';

/**
 * Hands cumulative data points to the commit: what is new in each since the last point of its series counts, once,
 * whichever instance had that one. Points in, and the answer has what counts of them and what was rejected for a value of
 * its event; why others do not count is added to `leftOut` when the answer is there.
 *
 * A point of any protocol will do: its `group` names the sender and the metric (groupKeyOf()), its `hash` the rest of
 * what tells its series apart (SeriesHash), and its histogram may have a count alone. Without a start (0), a count that
 * falls is taken for a new beginning. At most 1,000 points with 200 endpoints; see cutsOf().
 *
 * @throws ServiceError as NameRegistry and CumulativeCommit.add() do.
 */
export function handCumulative(
  deps: AcceptOtlpDeps,
  incoming: Pick<Incoming<Buffer>, 'pageId' | 'at' | 'answerBy'>,
  points: readonly CumulativePoint[],
  leftOut: LeftOut,
): Handed<Acknowledgement> | Promise<Handed<Acknowledgement>> {
  const { registry, cumulativeCommitOf } = deps;
  const { pageId, at, answerBy } = incoming;
  const names = registry.names(pageId);
  const events = points.map(({ event }, i) => ({ ...event, ms: i }));
  const beginnings = points.map(({ point }) => ({ startedAt: beginningOfCumulative(point) }));
  return untilNamed(deps.spare, (batch, refused) => {
    normalizeReleased(events, names, windowV1(at), batch, describeOtlpFault('metrics'));
    const drops: Drops = new Map();
    guardEndpointsPerBatch(batch, drops);
    const missing = batch.hasUnknown ? nameEvents(registry, names, batch, drops, { refused }) : undefined;
    if (missing !== undefined) return missing;
    const question = askFirst(deps.signals, pageId, { batch, signal: 'metrics', points: beginnings });
    if (question !== undefined) return question;
    const choices = choicesOf(deps.signals, batch);
    const unversioned = batch.hasReleases
      ? nameVersions(deps.versions, pageId, batch, (i) => batch.release[i])
      : undefined;
    if (unversioned !== undefined) return unversioned;
    noteUnread(batch, leftOut);
    const summary = summarise(batch, drops);
    const named = nameThem(batch, points, choices);
    const counted = cumulativeCommitOf(pageId).add(named, { pageId, at, answerBy });
    const answer = counted.then(({ events, leftOut: reasons, committed }) => {
      for (const [reason, number] of reasons) noteLeftOut(leftOut, reason, number);
      const outcome = { ...summary, accepted: events };
      count(deps, pageId, { at, caller: undefined }, outcome);
      return describe(outcome, committed);
    });
    return { answer };
  });
}

/** The points whose events are in the batch. The place of a point stands in place of a response time. */
function nameThem(
  batch: Batch,
  points: readonly CumulativePoint[],
  choices: readonly Choice[],
): NamedPoint[] {
  const named: NamedPoint[] = [];
  for (let i = 0; i < batch.length; i += 1) {
    const [source, endpoint, method] = [batch.source[i], batch.endpoint[i], batch.method[i]];
    const point = points[batch.latencyMs[i] ?? -1]?.point;
    if (source === undefined || endpoint === undefined || !method || point === undefined)
      throw new Error('A data point lost its names.');
    const [status, at, choice] = [batch.status[i] ?? 0, batch.at[i] ?? 0, choices[i] ?? {}];
    named.push({ point, source, endpoint, method, status, at, choice });
  }
  return named;
}

const { cumulativeSeriesPerPage, cumulativeSeriesPerMetric, otlpRequestsMax } = limits;

const refusals: Readonly<Partial<Record<CumulativeReason, string>>> = {
  counts_fell:
    'A cumulative count fell, although its start did not change: nothing of it counts. Two processes send the same series; give each a "service.instance.id" of its own.',
  too_many_series: `There would be more than ${withCommas(cumulativeSeriesPerPage)} series on this status page, or more than ${withCommas(cumulativeSeriesPerMetric)} of one sender: new ones do not count until others have had no point for ${limits.cumulativeIdleMinutes} minutes. Send fewer attributes, or deltas.`,
  too_many_requests: `Between two points of a series, and in the points of a second, at most ${withCommas(otlpRequestsMax)} requests count.`,
};
const unknownBefore = `The first point of a series does not count, because it began more than ${limits.cumulativeFreshMinutes} minutes ago and may have counted elsewhere; requests from then on count.`;

function noteLeftOut(leftOut: LeftOut, reason: CumulativeReason, points: number): void {
  const refusal = refusals[reason];
  if (refusal !== undefined) leftOut.refuse(reason, refusal, points);
  else leftOut.ignore(reason, points);
  if (reason === 'first_of_series') leftOut.say(reason, unknownBefore);
}

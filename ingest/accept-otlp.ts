import type { Acknowledgement } from '../contract/events.js';
import type { RejectionReason } from '../contract/rejections.js';
import { handCumulative } from './accept-cumulative.js';
import type { AcceptOtlpDeps, Incoming } from './accept-events.js';
import { describe, summarise } from './acknowledge.js';
import { type Handed, hand, handOnce } from './hand-to-commit.js';
import { distinctSources, nameEvents } from './names/name-events.js';
import { nameVersions } from './names/name-versions.js';
import { untilNamed } from './names/until-named.js';
import { describeOtlpFault } from './otlp/describe-fault.js';
import { type LeftOut, noteUnread } from './otlp/left-out.js';
import { collapseSlice, type OtlpForm, type OtlpRead, readOtlp, type Slice } from './otlp/read-otlp.js';
import type { Signal } from './otlp/tree.js';
import { type Drops, guardEndpointsPerBatch } from './read/guard.js';
import { normalizeReleased } from './read/normalize.js';
import { windowV1 } from './read/time-window.js';
import { takeSamples } from './samples/take-samples.js';
import { askFirst, leftToOther } from './signals/leave-out.js';
import type { Turn } from './turns/take-turns.js';

/**
 * The outcome for the spans or data points of a body. `message` says why some were rejected, or with none of them which
 * part of the body is probably meant to count.
 */
export type OtlpAcknowledgement = { rejected: number; message: string | undefined };

/** Accepts a body of OTLP when it is its turn. */
export async function acceptOtlpNow(
  deps: AcceptOtlpDeps,
  incoming: Incoming<Buffer>,
  form: OtlpForm,
  turn: Turn,
): Promise<OtlpAcknowledgement> {
  const read = readOtlp(incoming.body, form, (bytes) => turn.charge(bytes));
  const handed: Handed<Acknowledgement>[] = [];
  for (const slice of read.slices) {
    const one = await handSlice(deps, incoming, form.signal, { slice, leftOut: read.leftOut });
    one.answer.catch(() => {}); // When a later slice fails before this one is waited for.
    handed.push(one);
  }
  for (const points of read.cumulative) {
    const one = await handCumulative(deps, incoming, points, read.leftOut);
    one.answer.catch(() => {});
    handed.push(one);
  }
  turn.end();
  const answers = await Promise.all(handed.map(({ answer }) => answer));
  deps.metrics.ignored(form.signal, read.leftOut.counts);
  return joinAcknowledgements(read, answers);
}

/** Hands one slice of a body to the commit. */
function handSlice(
  deps: AcceptOtlpDeps,
  incoming: Incoming<Buffer>,
  signal: Signal,
  { slice, leftOut }: { slice: Slice; leftOut: LeftOut },
): Handed<Acknowledgement> | Promise<Handed<Acknowledgement>> {
  const { registry } = deps;
  const { batchId, events, points, isRpcOverHttp } = slice;
  const sent = { batchId, reporterId: undefined };
  const names = registry.names(incoming.pageId);
  return untilNamed(deps.spare, (batch, refused) => {
    normalizeReleased(events, names, windowV1(incoming.at), batch, describeOtlpFault(signal));
    const drops: Drops = new Map();
    guardEndpointsPerBatch(batch, drops);
    const missing = batch.hasUnknown ? nameEvents(registry, names, batch, drops, { refused }) : undefined;
    if (missing !== undefined) return missing;
    const signalled = { batch, signal, points, isRpcOverHttp };
    const question = askFirst(deps.signals, incoming.pageId, signalled);
    if (question !== undefined) return question;
    const left = leftToOther(deps.signals, signalled);
    const callers = distinctSources(batch);
    const unversioned = batch.hasReleases
      ? nameVersions(deps.versions, incoming.pageId, batch, (i) => batch.release[i])
      : undefined;
    if (unversioned !== undefined) return unversioned;
    noteUnread(batch, leftOut);
    takeSamples(batch, (i) => batch.release[i]);
    const summary = summarise(batch, drops);
    if (points === undefined && left.size === 0)
      return hand(deps, incoming, sent, { content: batch, callers, summary }, describe);
    const block = collapseSlice(batch, points, left);
    leftOut.ignore(otherOf[signal], left.size);
    const counted = { ...summary, accepted: block.events };
    return handOnce(deps, incoming, sent, { content: block, callers, summary: counted }, describe);
  });
}

/** Requests that their service sends by both signals, and that count by the other one. */
const otherOf = { traces: 'counted_by_metrics', metrics: 'counted_by_spans' } as const;

function joinAcknowledgements(
  { leftOut }: OtlpRead,
  answers: readonly Acknowledgement[],
): OtlpAcknowledgement {
  const rejected = answers.reduce((sum, answer) => sum + answer.rejected, leftOut.refused);
  const rejections = new Map<RejectionReason, string>();
  for (const { reason, message } of answers.flatMap((answer) => answer.rejections ?? []))
    if (!rejections.has(reason)) rejections.set(reason, message);
  const messages = [...leftOut.messages, ...rejections.values()];
  return { rejected, message: messages.length === 0 ? undefined : messages.join(' ') };
}

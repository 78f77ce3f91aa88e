import type { PageId } from '../../lib/ids.js';
import type { Source } from '../names/names.js';
import type { Registration } from '../names/until-named.js';
import { messageMethod } from '../otlp/consumer.js';
import { rpcMethod } from '../otlp/rpc.js';
import type { Signal } from '../otlp/tree.js';
import type { Batch } from '../read/batch.js';
import {
  beginningOf,
  type Choice,
  type Interval,
  isDecidedForPoint,
  isDecidedForSpan,
  isPointCounted,
  metricsCount,
} from './decide-signal.js';
import type { Asked, Protocol, ServiceSignals } from './service-signals.js';

/**
 * The requests of a slice, all of whose names are known and whose versions are not yet looked at: the choice is that of the
 * service. A slice of metrics has the beginnings of its data points, by the place that stands for a response time. Calls
 * of procedures over HTTP count by the choice for HTTP, whose metrics have them.
 */
export type Signalled = {
  batch: Batch;
  signal: Signal;
  points: readonly { startedAt: number | undefined }[] | undefined;
  isRpcOverHttp?: boolean;
};

type Part = Interval & { source: Source; protocol: Protocol };

/** Returns what a place of a batch was sent for; `undefined` for what only spans have. */
function partAt({ batch, signal, points, isRpcOverHttp = false }: Signalled, i: number): Part | undefined {
  const source = batch.source[i];
  const method = batch.method[i]?.text;
  if (source === undefined || method === messageMethod) return undefined;
  const to = batch.at[i] ?? 0;
  const startedAt = signal === 'metrics' ? points?.[batch.latencyMs[i] ?? -1]?.startedAt : to;
  const from = signal === 'metrics' ? beginningOf(startedAt, to) : to;
  return { source, protocol: isRpcOverHttp ? 'http' : protocolOf(method), from, to };
}

/**
 * Returns the question that must be answered before a slice can be counted: for services whose choice this instance does
 * not know, or not for so late a time. Returns `undefined` when there is none, which is usual.
 */
export function askFirst(
  signals: ServiceSignals,
  pageId: PageId,
  signalled: Signalled,
): Registration | undefined {
  const isDecided = signalled.signal === 'traces' ? isDecidedForSpan : isDecidedForPoint;
  const asked = new Map<string, Asked>();
  for (let i = 0; i < signalled.batch.length; i += 1) {
    const part = partAt(signalled, i);
    if (part === undefined || isDecided(signals.choiceOf(part.source, part.protocol), part.to)) continue;
    const name = `${part.protocol} ${part.source.text}`;
    const { from, to } = asked.get(name) ?? part;
    asked.set(name, { ...part, from: Math.min(from, part.from), to: Math.max(to, part.to) });
  }
  if (asked.size === 0) return undefined;
  return {
    async register() {
      await signals.ask(pageId, signalled.signal, [...asked.values()]);
      return undefined;
    },
  };
}

/** Returns the places of the batch whose requests are counted by the other signal. */
export function leftToOther(signals: ServiceSignals, signalled: Signalled): ReadonlySet<number> {
  const left = new Set<number>();
  for (let i = 0; i < signalled.batch.length; i += 1) {
    const part = partAt(signalled, i);
    if (part === undefined) continue;
    const choice = signals.choiceOf(part.source, part.protocol);
    const counts =
      signalled.signal === 'traces' ? !metricsCount(choice, part.to) : isPointCounted(choice, part);
    if (!counts) left.add(i);
  }
  return left;
}

/** Returns the choice for each place of a batch of data points. */
export function choicesOf(signals: ServiceSignals, batch: Batch): Choice[] {
  return Array.from({ length: batch.length }, (_, i) => {
    const source = batch.source[i];
    return source === undefined ? {} : signals.choiceOf(source, protocolOf(batch.method[i]?.text));
  });
}

const protocolOf = (method: string | undefined): Protocol => (method === rpcMethod ? 'rpc' : 'http');

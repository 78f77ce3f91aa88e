import type { Message } from '../../lib/protobuf/decode.js';
import { exceptionOf } from './exception.js';
import { type Attributes, endedInError, hexOf, listOf, objectOf, spanKinds } from './tree.js';

/** Returns the exception of a span within the span of a server; `undefined` when there is none. */
export type InnerExceptions = (server: Message) => Attributes | undefined;

/** Spans with an exception that are looked at, and spans from one of them up to its server: a body may have 70,000 spans. */
const thrownMax = 1_000;
const depthMax = 16;

/**
 * Finds the exceptions of a body that frameworks note on a span of their own within the span of the server, as the
 * instrumentation of Express does: the span of the server then has the status alone. A span within another one ends
 * before it, so the SDK sends both in one body nearly always. The one that is nearest to the server counts, and of
 * several the last.
 */
export function findInnerExceptions(tree: Message): InnerExceptions {
  const spans = spansOf(tree);
  const thrown = spans
    .filter((span) => spanKinds.internal.has(span['kind']) && endedInError(span))
    .filter((span) => exceptionOf(span) !== undefined)
    .slice(0, thrownMax);
  if (thrown.length === 0) return () => undefined;
  const traces = new Set(thrown.map(({ traceId }) => hexOf(traceId)));
  const byId = new Map<string, Message>();
  for (const span of spans) if (traces.has(hexOf(span['traceId']))) byId.set(idOf(span, 'spanId'), span);
  const found = new Map<Message, { span: Message; depth: number }>();
  for (const span of thrown) {
    const nearest = serverOf(span, byId);
    if (nearest === undefined) continue;
    const { server, depth } = nearest;
    if (depth <= (found.get(server)?.depth ?? depth)) found.set(server, { span, depth });
  }
  return (server) => {
    const inner = found.get(server);
    return inner === undefined ? undefined : exceptionOf(inner.span);
  };
}

function spansOf(tree: Message): Message[] {
  return listOf(tree['resourceSpans'])
    .flatMap((one) => listOf(objectOf(one)['scopeSpans']))
    .flatMap((one) => listOf(objectOf(one)['spans']).map(objectOf));
}

const idOf = (span: Message, key: 'spanId' | 'parentSpanId'): string =>
  `${hexOf(span['traceId'])} ${hexOf(span[key])}`;

function serverOf(
  span: Message,
  byId: ReadonlyMap<string, Message>,
): { server: Message; depth: number } | undefined {
  let parent = byId.get(idOf(span, 'parentSpanId'));
  for (let depth = 1; parent !== undefined && depth <= depthMax; depth += 1) {
    if (spanKinds.server.has(parent['kind'])) return { server: parent, depth };
    parent = byId.get(idOf(parent, 'parentSpanId'));
  }
  return undefined;
}

import t from 'tap';
import { LeftOut } from '../../../ingest/otlp/left-out.js';
import { readSpans } from '../../../ingest/otlp/read-spans.js';
import { tracesRequest } from '../../../ingest/otlp/schemas.js';
import { readTree } from '../../../ingest/otlp/tree.js';
import type { RawEvent } from '../../../ingest/read/raw-event.js';
import { attributesOf, encodeOtlp, spanOf, tracesOf } from '../../support/otlp.js';

const failed = { 'http.request.method': 'GET', 'http.response.status_code': 500 };
const idOf = (place: number): string => String(place).padStart(16, '0');
const exception = (type: string): object => ({
  name: 'exception',
  attributes: attributesOf({ 'exception.type': type, 'exception.message': `${type} said` }),
});

/** A span with the id of its place, within the span of another place. */
const placed = (place: number, within: number | undefined, options: Parameters<typeof spanOf>[0] = {}) => ({
  ...spanOf({ spanId: idOf(place), ...options }),
  ...(within !== undefined && { parentSpanId: idOf(within) }),
});
const server = (place: number, within?: number, status = 500) =>
  placed(place, within, { attributes: { ...failed, 'http.response.status_code': status } });
const inner = (place: number, within: number, type?: string, more: object = {}) => ({
  ...placed(place, within, { kind: 1, attributes: {}, ...(type && { events: [exception(type)] }) }),
  ...(type && { status: { code: 2 } }),
  ...more,
});

/** The error type and the message of each request, in both encodings. */
function read(spans: readonly object[]): Pick<RawEvent, 'errorType' | 'message'>[] {
  const body = encodeOtlp(tracesOf('shop', spans), tracesRequest);
  const fromBytes = readSpans(readTree(body, 'protobuf', tracesRequest), new LeftOut()).events;
  const json = Buffer.from(JSON.stringify(tracesOf('shop', spans)));
  const fromJson = readSpans(readTree(json, 'json', tracesRequest), new LeftOut()).events;
  t.strictSame(fromBytes, fromJson);
  return fromBytes.map(({ errorType, message }) => ({ errorType, message }));
}

const said = (type: string) => ({ errorType: type, message: `${type} said` });
const nothing = { errorType: undefined, message: undefined };

t.test('a failing span has the exception of the nearest span within it', async (t) => {
  t.strictSame(read([inner(2, 1, 'A'), server(1)]), [said('A')], 'as Express sends it');
  t.strictSame(read([server(1), inner(3, 2, 'A'), inner(2, 1)]), [said('A')], 'over a span that is well');
  t.strictSame(read([inner(2, 1, 'A'), inner(3, 2, 'B'), server(1)]), [said('A')]);
  t.strictSame(read([inner(3, 2, 'B'), inner(2, 1, 'A'), server(1)]), [said('A')]);
  t.strictSame(read([inner(2, 1, 'A'), inner(3, 1, 'B'), server(1)]), [said('B')], 'the last of several');
});

t.test('an exception of another request, or one that was caught, is none of it', async (t) => {
  t.strictSame(read([server(1), inner(3, 2, 'A'), server(2, 1)]), [nothing, said('A')]);
  t.strictSame(read([inner(2, 1, 'A', { status: {} }), server(1)]), [nothing]);
  t.strictSame(read([inner(2, 1, 'A', { kind: 3 }), server(1)]), [nothing], 'of a call of another server');
  t.strictSame(read([inner(2, 9, 'A'), server(1)]), [nothing], 'its server is in another body');
  const traceId = 'a'.repeat(32);
  t.strictSame(read([inner(2, 1, 'A', { traceId }), server(1)]), [nothing]);
});

t.test('an answer to the client, and a span with an exception of its own, take none', async (t) => {
  t.strictSame(read([inner(2, 1, 'A'), server(1, undefined, 404)]), [nothing]);
  const own = placed(1, undefined, { attributes: failed, events: [exception('Own')] });
  t.strictSame(read([inner(2, 1, 'A'), own]), [said('Own')]);
});

t.test('spans that are within one another, and long chains, come to an end', async (t) => {
  t.strictSame(read([inner(2, 3, 'A'), inner(3, 2, 'B'), server(1)]), [nothing]);
  const chain = Array.from({ length: 20 }, (_, i) => inner(i + 2, i + 1, i === 19 ? 'A' : undefined));
  t.strictSame(read([...chain, server(1)]), [nothing]);
});

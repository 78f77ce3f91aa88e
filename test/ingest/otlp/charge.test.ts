import t from 'tap';
import { type OtlpForm, readOtlp } from '../../../ingest/otlp/read-otlp.js';
import { metricsRequest, tracesRequest } from '../../../ingest/otlp/schemas.js';
import { createTurns } from '../../../ingest/turns/take-turns.js';
import { newId, type PageId } from '../../../lib/ids.js';
import { messagesMax } from '../../../lib/protobuf/decode.js';
import { ServiceError } from '../../../lib/service-error.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { encodeOtlp, histogramOf, metricsOf, spanOf, tracesOf } from '../../support/otlp.js';

const clock = makeMovingClock();
const page = () => newId<PageId>(clock.now());
const asJson = (tree: object): Buffer => Buffer.from(JSON.stringify(tree));

/** A body in both encodings, by a name. */
function bothOf(name: string, tree: object, signal: OtlpForm['signal']): [string, Buffer, OtlpForm][] {
  const schema = signal === 'traces' ? tracesRequest : metricsRequest;
  return [
    [`${name}, protobuf`, encodeOtlp(tree, schema), { signal, encoding: 'protobuf' }],
    [`${name}, JSON`, asJson(tree), { signal, encoding: 'json' }],
  ];
}

/** Instrumentations of HTTP send these attributes since 1.23, and shorter names before. */
const attributes = {
  ...{ 'http.request.method': 'GET', 'http.route': '/carts/:id', 'http.response.status_code': 200 },
  ...{ 'url.scheme': 'https', 'url.path': '/carts/4711', 'server.address': 'shop.example.com' },
  ...{ 'server.port': 443, 'client.address': '203.0.113.7', 'network.peer.address': '10.1.2.3' },
  ...{ 'network.peer.port': 41234, 'network.protocol.version': '1.1', 'user_agent.original': 'curl/8.5.0' },
};
const attributesBefore = {
  ...{ 'http.method': 'GET', 'http.route': '/x', 'http.status_code': 200, 'http.scheme': 'http' },
  ...{ 'http.host': 'shop:80', 'http.target': '/x', 'http.flavor': '1.1', 'net.host.name': 'shop' },
  ...{ 'net.host.port': 80, 'net.peer.ip': '10.1.2.3', 'net.peer.port': 4711, 'net.transport': 'ip_tcp' },
};
const spansOf = (from: object, count: number): object =>
  tracesOf('shop', Array(count).fill(spanOf({ endMs: clock.now(), attributes: { ...from } })));

t.test('a page alone that sends ordinary bodies never rests', async (t) => {
  const bodies = [
    ...bothOf('spans', spansOf(attributes, 500), 'traces'),
    ...bothOf('spans of before 1.23', spansOf(attributesBefore, 500), 'traces'),
    ...bothOf('histograms', metricsOf('shop', Array(500).fill(histogramOf({}))), 'metrics'),
  ];
  const rested: string[] = [];
  for (const [name, body, form] of bodies) {
    const turns = createTurns({ clock });
    const pageId = page();
    for (let i = 0; i < 20; i += 1) {
      let hasBegun = false;
      const work = turns.take(pageId, body.length, async (turn) => {
        hasBegun = true;
        readOtlp(body, form, (bytes) => turn.charge(bytes));
      });
      if (!hasBegun) rested.push(`${name}, body ${i}`);
      await work;
    }
  }
  t.strictSame(rested, []);
});

t.test('a page rests after bodies that are refused as after those that are read', async (t) => {
  const emptiesOf = (count: number): Buffer => encodeOtlp(tracesTree(Array(count).fill({})), tracesRequest);
  const many = emptiesOf(150_000);
  const spans = encodeOtlp(spansOf({ 'http.method': 'GET' }, 10_001), tracesRequest);
  /** `schemaUrl` of a request, which has none, as a group. */
  const group = Buffer.from([0x1b]);
  const json = asJson(tracesTree(Array(90_000).fill({}))).subarray(0, -1);
  const refused: [
    name: string,
    body: Buffer,
    encoding: OtlpForm['encoding'],
    bodies: number,
    kind: string,
  ][] = [
    ['read', many, 'protobuf', 1, 'none'],
    ['more messages than a body may have', emptiesOf(messagesMax), 'protobuf', 1, 'bodyTooLarge'],
    ['broken at its end', Buffer.concat([many, group]), 'protobuf', 1, 'bodyNotProtobuf'],
    ['more spans than a body may have', Buffer.concat([spans, many]), 'protobuf', 1, 'tooManySpans'],
    ['JSON that is broken at its end', json, 'json', 2, 'bodyNotJson'],
  ];
  const outcomes = [];
  for (const [name, body, encoding, bodies] of refused) {
    const turns = createTurns({ clock });
    const [loud, quiet] = [page(), page()];
    const kinds = new Set<string>();
    const begun: string[] = [];
    for (let i = 0; i < bodies; i += 1) {
      const work = turns.take(loud, body.length, async (turn) => {
        readOtlp(body, { signal: 'traces', encoding }, (bytes) => turn.charge(bytes));
      });
      kinds.add(await work.then(() => 'none', kindOf));
    }
    const next = turns.take(loud, 1, async () => begun.push('next'));
    await turns.take(quiet, 1, async () => begun.push('of another page'));
    await next;
    outcomes.push([name, ...kinds, ...begun]);
  }
  const expected = refused.map(([name, , , , kind]) => [name, kind, 'of another page', 'next']);
  t.strictSame(outcomes, expected);
});

const tracesTree = (spans: readonly object[]): object => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

const kindOf = (error: unknown): string => (error instanceof ServiceError ? error.kind : String(error));

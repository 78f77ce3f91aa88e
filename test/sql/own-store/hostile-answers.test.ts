import t from 'tap';
import Type from 'typebox';
import { columns, Row } from '../../../sql/own-store/load-event-rows.js';
import type { OwnStoreError } from '../../../sql/own-store/own-store-error.js';
import { rowType } from '../../../sql/own-store/read-json-rows.js';
import { createOwnStoreTurns } from '../../../sql/own-store/turns.js';
import {
  answer,
  type Behaviour,
  bomb,
  drip,
  endlessHeaders,
  endlessInterim,
  endlessLine,
  endlessRows,
  raw,
  rows,
  silence,
  singleBytes,
  startHostileStore,
} from '../../support/hostile-store.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { openOwn } from '../../support/own-store.js';

const store = await startHostileStore(t, silence);
const turns = createOwnStoreTurns();
const own = openOwn(t, store, { turns });
const inHaste = openOwn(t, store, { turns, sessionMs: 300 });
const type = rowType(Row({ kind: columns.kind, source: columns.text, requests: columns.count }));
const row = { kind: 'service', source: 'shop', requests: 1 };
const mebibyte = 1024 * 1024;
/** The bytes that the sockets of both sides hold. */
const underway = 12 * mebibyte;

async function load(behave: Behaviour, { rowsMax = 1_000_000, from = own } = {}): Promise<string> {
  store.behave = behave;
  const failing = from.begin().loadRows(type, { query: 'SELECT 1', rowsMax });
  try {
    return `${(await failing).length} rows`;
  } catch (error) {
    const { kind, message } = error as OwnStoreError; // Any other error has no kind, and the test fails.
    return `${kind}: ${message}`;
  }
}

const fault = (what: string) =>
  `ownStoreUnavailable: The page's own event store ${what}. Check the ClickHouse of this page, then retry.`;

t.test('rows that are what the query selects are loaded', async (t) => {
  t.equal(await load(rows(row, row)), '2 rows');
  t.equal(await load(answer('')), '0 rows');
  t.equal(await load(answer(`${JSON.stringify(row)}`)), '1 rows', 'without a last line break');
});

t.test('an answer is cut at 32 MiB, and one for few rows earlier', async (t) => {
  const before = store.sent();
  const large = { ...row, source: 'a'.repeat(250) };
  t.equal(await load(endlessRows(large)), fault('cannot be used: The answer is larger than 32 MiB'));
  t.ok(store.sent() - before < 32 * mebibyte + underway, `${store.sent() - before} bytes were sent`);
  const between = store.sent();
  t.equal(
    await load(endlessRows(row), { rowsMax: 100 }),
    fault('sends more than the 100 rows that the query asks for'),
  );
  t.ok(store.sent() - between < underway, `${store.sent() - between} bytes were sent`);
  t.equal(turns.heldBytes, 0, 'nothing counts as held afterwards');
});

t.test('a line is cut at 64 KiB', async (t) => {
  const before = store.sent();
  t.equal(await load(endlessLine), fault('sends a line of more than 64 KiB'));
  t.ok(store.sent() - before < underway, `${store.sent() - before} bytes were sent`);
});

t.test('a compressed answer is refused and never inflated', async (t) => {
  const refused = fault('cannot be used: The answer is compressed, which the request does not allow');
  t.equal(await load(bomb(row)), refused);
  t.equal(await load(answer('x', 'content-encoding: br\r\n')), refused);
  t.equal(await load(answer('x', 'content-encoding: gzip\r\n', '500 Internal Server Error')), refused);
});

t.test('headers, interim answers and single bytes are bounded', async (t) => {
  for (const [behave, what] of [
    [endlessHeaders, 'cannot be used: The answer is not HTTP (HPE_HEADER_OVERFLOW)'],
    [endlessInterim, 'cannot be used: The server sends one interim answer after the other'],
    [singleBytes, 'cannot be used: The answer comes in too many small pieces'],
  ] as const) {
    // Each has sockets of its own, which hold what the service has not read.
    const before = store.sent();
    t.equal(await load(behave), fault(what));
    t.ok(store.sent() - before < underway, `${store.sent() - before} bytes were sent`);
  }
});

t.test('a session ends in time, however slowly the server answers', async (t) => {
  const slow = fault('cannot be used: It takes too long to answer');
  t.equal(await load(silence, { from: inHaste }), slow);
  t.equal(await load(drip(20), { from: inHaste }), slow, 'bytes of the body');
  t.equal(await load(drip(20, 'headers'), { from: inHaste }), slow, 'bytes before the headers');
  store.behave = silence;
  const session = inHaste.begin();
  const startedAt = performance.now();
  const query = { query: 'SELECT 1', rowsMax: 1 };
  await t.rejects(session.loadRows(type, query));
  await t.rejects(
    session.loadRows(type, query),
    likeServiceError('ownStoreUnavailable'),
    'the time is shared',
  );
  t.ok(performance.now() - startedAt < 3_000);
});

t.test('statements and inserts have the same bounds', async (t) => {
  store.behave = silence;
  const slow = likeServiceError('ownStoreUnavailable', { message: /takes too long/ });
  await t.rejects(inHaste.begin().command('CREATE TABLE a'), slow);
  await t.rejects(inHaste.insert('INSERT INTO landing', Buffer.alloc(10), {}), slow);
  store.behave = endlessLine;
  const large = likeServiceError('ownStoreUnavailable', { message: /larger than 64 KiB/ });
  await t.rejects(own.begin().command('CREATE TABLE a'), large);
  await t.rejects(own.insert('INSERT INTO landing', Buffer.alloc(10), {}), large);
  store.behave = raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
  const broken = likeServiceError('ownStoreUnavailable', { message: /ECONNRESET/ });
  await t.rejects(own.insert('INSERT INTO landing', Buffer.alloc(10), {}), broken, 'no success');
  await t.rejects(own.begin().command('CREATE TABLE a'), broken);
});

t.test('whatever else a server answers is its fault', async (t) => {
  const cases: [Behaviour, RegExp][] = [
    [rows({ ...row, requests: '1' }), /a row whose "requests" is not what the query selects/],
    [rows({ ...row, requests: null }), /"requests"/],
    [rows({ ...row, requests: -1 }), /"requests"/],
    [rows({ ...row, requests: 1.5 }), /"requests"/],
    [rows({ ...row, source: 'a'.repeat(251) }), /"source"/],
    [rows({ ...row, kind: 'other' }), /"kind"/],
    [answer(`${JSON.stringify(row).replace('1', '1e999')}\n`), /"requests"/],
    [answer(`${JSON.stringify(row).replace('1', '12345678901234567890')}\n`), /"requests"/],
    [rows({ kind: 'service', source: 'shop' }), /a row without the columns/],
    [rows({ ...row, more: 1 }), /a row without the columns/],
    [rows([row]), /a row without the columns/],
    [rows(1, 'text', null), /a row without the columns/],
    [answer('{"__proto__":{"kind":"service"}}\n'), /a row without the columns/],
    [answer('[[[[['.repeat(10_000)), /a line that is not JSON/],
    [answer('{"kind":\n'), /a line that is not JSON/],
    [answer('<!doctype html><title>Welcome</title>'), /a line that is not JSON/],
    [answer('', 'location: http://169.254.169.254/\r\n', '302 Found'), /answers with status 302, unlike/],
    [answer('secret of an inner service', '', '404 Not Found'), /answers with status 404, unlike/],
    [
      raw('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      /closes the connection/,
    ],
    [raw('not HTTP at all\r\n\r\n'), /The answer is not HTTP/],
    [raw(''), /ECONNRESET/],
    [raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n'), /ECONNRESET/],
    [
      answer('Code: 60. DB::Exception: secret (UNKNOWN_TABLE)', '', '404 Not Found'),
      /answers with error 60 of ClickHouse/,
    ],
    [answer('secret', 'x-clickhouse-exception-code: 60\r\n'), /answers with error 60 of ClickHouse/],
  ];
  for (const [behave, sentence] of cases) {
    const outcome = await load(behave);
    t.match(outcome, sentence);
    t.match(outcome, /^ownStoreUnavailable: The page's own event store .* Check the ClickHouse of this page/);
    t.notMatch(outcome, /127\.0\.0\.1|169\.254|secret|localhost/);
  }
  t.match(
    await load(answer('Code: 159. DB::Exception: x (TIMEOUT_EXCEEDED)', '', '500 Internal Server Error')),
    /^sqlTooExpensive: .*the page's own event store/,
  );
});

t.test('an error that takes a search long to understand is cut before it is searched', async (t) => {
  const startedAt = performance.now();
  const text = `Code: 1. ${'DB::Exception: ((((A'.repeat(200_000)}`;
  t.match(await load(answer(text, '', '500 Internal Server Error')), /error 1 of ClickHouse/);
  t.ok(performance.now() - startedAt < 2_000);
});

t.test('two reads of a page run at once, 20 more wait, and the reads of other pages go on', async (t) => {
  store.behave = silence;
  const read = () => inHaste.begin().loadRows(type, { query: 'SELECT 1', rowsMax: 1 });
  const outcomes = Promise.allSettled(Array.from({ length: 22 }, read));
  await t.rejects(read(), { message: /too many reads that wait/ });
  t.equal(turns.limiter.running.get('page'), 2);
  const other = openOwn(t, store, { turns, key: 'other', sessionMs: 5_000 });
  store.behave = rows(row);
  t.equal(await load(rows(row), { from: other }), '1 rows');
  await outcomes;
  t.equal(turns.limiter.size, 0);
});

t.test('closing a store ends its reads', async (t) => {
  store.behave = silence;
  const closed = openOwn(t, store, { turns });
  const reading = closed.begin().loadRows(type, { query: 'SELECT 1', rowsMax: 1 });
  closed.close();
  await t.rejects(reading, likeServiceError('ownStoreUnavailable'));
});

t.test('numbers that ClickHouse computes from nothing are null', async (t) => {
  store.behave = rows({ percentiles: [1.5, null, null] });
  const percentiles = Type.Tuple([columns.measured, columns.measured, columns.measured]);
  const loaded = await own.begin().loadRows(rowType(Row({ percentiles })), { query: 'SELECT 1', rowsMax: 1 });
  t.strictSame(loaded, [{ percentiles: [1.5, null, null] }]);
});

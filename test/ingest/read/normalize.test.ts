import t from 'tap';
import { windowV1, windowV2 } from '../../../ingest/read/time-window.js';
import { dayMs } from '../../../lib/times.js';
import {
  makeBatch,
  makePageNames,
  type PlainEvent,
  plainEvents,
  rejectedCounts,
} from '../../support/batches.js';

const now = Date.UTC(2026, 0, 31, 12, 0, 0, 500);

type Read = { event: PlainEvent | undefined; rejections: Record<string, number> };

/** Returns the normalised form of one v1 event. */
function read(event: unknown, version: 1 | 2 = 1): Read {
  const window = version === 1 ? windowV1(now) : windowV2(now);
  const batch = makeBatch([event], makePageNames(), window, version);
  return { event: plainEvents(batch)[0], rejections: rejectedCounts(batch) };
}

const least = { endpoint: '/a', status: 200 };

function readField(name: keyof PlainEvent, fields: object): unknown {
  return read({ ...least, ...fields }).event?.[name];
}

function refusal(fields: object): string | undefined {
  return Object.keys(read({ ...least, ...fields }).rejections)[0];
}

t.test('an event needs an endpoint and a status; the rest has defaults', async (t) => {
  t.strictSame(read(least).event, {
    service: 'Unassigned',
    endpoint: '/a',
    method: 'GET',
    status: 200,
    at: now,
  });
  t.strictSame(read({ status: 200 }).rejections, { endpoint_missing: 1 });
  t.strictSame(read({ endpoint: '/a' }).rejections, { status_missing: 1 });
});

t.test('an event must be an object', async (t) => {
  for (const event of [null, 7, 'GET /a 200', true, [], [least], [[]]]) {
    t.strictSame(read(event).rejections, { not_an_object: 1 }, JSON.stringify(event));
  }
});

t.test('every alias is read, in the order of the specification', async (t) => {
  for (const name of ['service', 'app', 'component']) t.equal(readField('service', { [name]: 'X' }), 'x');
  for (const name of ['endpoint', 'path', 'route']) {
    t.equal(read({ status: 200, [name]: '/b' }).event?.endpoint, '/b', name);
  }
  for (const name of ['status', 'statusCode', 'status_code']) {
    t.equal(read({ endpoint: '/a', [name]: 404 }).event?.status, 404, name);
  }
  for (const name of ['ms', 'duration_ms']) t.equal(readField('ms', { [name]: 1.5 }), 1.5, name);
  for (const name of ['message', 'error']) {
    t.equal(readField('message', { status: 500, [name]: 'no' }), 'no', name);
  }
  t.equal(readField('service', { component: 'c', app: 'b', service: 'a' }), 'a');
  t.equal(readField('service', { component: 'c', app: 'b' }), 'b');
  t.equal(readField('endpoint', { route: '/c', path: '/b', endpoint: '/a' }), '/a');
  t.equal(readField('ms', { duration_ms: 2, ms: 1 }), 1);
  t.equal(readField('message', { status: 500, error: 'second', message: 'first' }), 'first');
});

t.test('null is absent, so the next alias or the default counts', async (t) => {
  t.equal(read({ endpoint: null, path: '/b', status: null, statusCode: 201 }).event?.endpoint, '/b');
  t.equal(readField('service', { service: null, app: 'b' }), 'b');
  t.equal(readField('method', { method: null }), 'GET');
  t.equal(readField('at', { at: null }), now);
  t.equal(readField('ms', { ms: null, duration_ms: 3 }), 3);
  t.equal(readField('message', { status: 500, message: null, error: 'no' }), 'no');
});

t.test('the first alias present counts, even when it is malformed', async (t) => {
  t.equal(refusal({ status: '200', statusCode: 200 }), 'status_invalid');
  t.equal(refusal({ endpoint: 7, path: '/b' }), 'endpoint_invalid');
  t.equal(readField('ms', { ms: 'fast', duration_ms: 3 }), undefined);
  t.equal(readField('service', { service: '', app: 'b' }), 'Unassigned');
});

t.test('a status is an integer from 100 to 599', async (t) => {
  for (const status of [100, 200, 599, 2e2]) t.equal(readField('status', { status }), status);
  const bad = ['200', true, 99, 600, 200.5, -200, 0, Infinity, NaN, {}, [200], '', 65_736, 2 ** 32 + 200];
  for (const status of bad) t.equal(refusal({ status }), 'status_invalid', String(status));
  for (const status of [null, undefined]) t.equal(refusal({ status }), 'status_missing');
});

t.test('an event with a malformed service belongs to Unassigned', async (t) => {
  for (const service of [7, true, {}, ['shop'], '', '   ', 'x'.repeat(61), 'a\nb']) {
    t.equal(readField('service', { service }), 'Unassigned', JSON.stringify(service));
  }
  t.equal(readField('service', { service: 'Unassigned' }), 'unassigned');
  t.equal(readField('service', { service: ' Shop ' }), 'shop');
});

t.test('a malformed endpoint or method drops the event', async (t) => {
  for (const endpoint of [7, true, {}, [], '', ' ', '?a=b', 'a\u0000', `\u0000${'x'.repeat(201)}`]) {
    t.equal(refusal({ endpoint }), 'endpoint_invalid', JSON.stringify(endpoint).slice(0, 20));
  }
  t.equal(refusal({ endpoint: 'x'.repeat(201) }), 'endpoint_too_long');
  for (const endpoint of [null, undefined]) t.equal(refusal({ endpoint }), 'endpoint_missing');
  for (const method of [7, true, {}, [], '', 'GET /a', 'A'.repeat(21)]) {
    t.equal(refusal({ method }), 'method_invalid', JSON.stringify(method));
  }
  t.equal(readField('method', { method: 'patch' }), 'PATCH');
});

t.test('a malformed response time is ignored, and the event still counts', async (t) => {
  for (const ms of [-1, -0.001, Infinity, -Infinity, NaN, '12', '', true, {}, [1]]) {
    const { event } = read({ ...least, ms });
    t.equal(event?.endpoint, '/a', String(ms));
    t.notOk(event !== undefined && 'ms' in event, String(ms));
  }
  t.ok(Object.is(readField('ms', { ms: -0 }), 0), 'minus zero is zero');
  t.equal(readField('ms', { ms: 0 }), 0);
  t.equal(readField('ms', { ms: 0.25 }), 0.25);
  t.equal(readField('ms', { ms: dayMs }), dayMs);
  t.equal(readField('ms', { ms: 1e300 }), dayMs);
});

t.test('a message is kept from status 400 on', async (t) => {
  for (const status of [400, 404, 499, 500, 599])
    t.equal(readField('message', { status, message: 'no' }), 'no');
  for (const status of [100, 200, 302, 399])
    t.equal(readField('message', { status, message: 'no' }), undefined);
  for (const message of ['', '\n', 7, {}, ['no']]) {
    t.equal(readField('message', { status: 500, message }), undefined, JSON.stringify(message));
  }
  t.equal(readField('message', { status: 500, message: 'x'.repeat(300) }), 'x'.repeat(200));
});

t.test('a timestamp must be a string with a time', async (t) => {
  t.equal(readField('at', { at: '2026-01-31T11:59:59.001Z' }), Date.UTC(2026, 0, 31, 11, 59, 59, 1));
  for (const at of [now, '', 'now', '2026-02-30T00:00:00Z', '2026-01-31T23:59:60Z', true, {}, []]) {
    t.equal(refusal({ at }), 'at_invalid', JSON.stringify(at));
  }
});

t.test('v1 takes events of the last 14 days and one minute ahead, both edges included', async (t) => {
  const at = (time: number) => ({ at: new Date(time).toISOString() });
  t.equal(readField('at', at(now - 14 * dayMs)), now - 14 * dayMs);
  t.equal(refusal(at(now - 14 * dayMs - 1)), 'too_old');
  t.equal(readField('at', at(now + 60_000)), now + 60_000);
  t.equal(refusal(at(now + 60_001)), 'in_the_future');
});

t.test('v2 takes events of the last ten minutes and one minute ahead, both edges included', async (t) => {
  const at = (time: number) => read({ ...least, at: new Date(time).toISOString() }, 2);
  t.equal(at(now - 600_000).event?.at, now - 600_000);
  t.strictSame(at(now - 600_001).rejections, { too_old: 1 });
  t.equal(at(now + 60_000).event?.at, now + 60_000);
  t.strictSame(at(now + 60_001).rejections, { in_the_future: 1 });
});

t.test('v2 ignores the service of an event', async (t) => {
  t.equal(read({ ...least, service: 'shop' }, 2).event?.service, undefined);
});

t.test('names of prototype properties are ordinary keys', async (t) => {
  const event: unknown = JSON.parse(
    '{"endpoint":"/a","status":200,"__proto__":{"status":500,"service":"x"},"constructor":1,"toString":2}',
  );
  t.strictSame(read(event).event, { ...read(least).event });
  t.strictSame(read(JSON.parse('{"__proto__":{"endpoint":"/a","status":200}}')).rejections, {
    status_missing: 1,
  });
  t.equal(Reflect.get({}, 'status'), undefined, 'nothing was put into the prototype of objects');
});

t.test('the last of repeated keys counts, as in JSON.parse', async (t) => {
  const event: unknown = JSON.parse('{"endpoint":"/a","status":500,"status":200,"endpoint":"/b"}');
  t.match(read(event).event, { endpoint: '/b', status: 200 });
});

t.test('halves of surrogate pairs become replacement characters', async (t) => {
  const event = { endpoint: '/\ud800', service: '\udfff', status: 500, message: '\ud83d' };
  t.match(read(event).event, { endpoint: '/\ufffd', service: '\ufffd', message: '\ufffd' });
});

t.test('known names are found, normalised or not', async (t) => {
  const page = makePageNames({ endpoints: ['/a'], services: ['shop'] });
  const events = ['/a', '/a/', '/a?x', ' /a '].flatMap((endpoint) =>
    ['shop', 'SHOP', ' shop '].map((service) => ({ endpoint, service, status: 200 })),
  );
  const batch = makeBatch(events, page, windowV1(now));
  t.equal(batch.length, events.length);
  t.equal(batch.hasUnknown, false);
  t.ok(batch.endpoint.slice(0, batch.length).every((name) => name === page.endpoints.get('/a')));
  t.ok(batch.source.slice(0, batch.length).every((name) => name === page.services.get('shop')));
});

t.test('a page has at most 64 methods', async (t) => {
  const page = makePageNames();
  const events = Array.from({ length: 100 }, (_, i) => ({ ...least, method: `M${i}` }));
  const batch = makeBatch(events, page, windowV1(now));
  t.equal(batch.length, 64);
  t.strictSame(rejectedCounts(batch), { method_limit: 36 });
  const again = makeBatch([events[0], events[99]], page, windowV1(now));
  t.equal(again.length, 1, 'a method that the page has stays usable');
});

t.test('malformed events among good ones are skipped and counted, and the order stays', async (t) => {
  const events = [
    least,
    7,
    { ...least, endpoint: '/b' },
    {},
    { ...least, at: 'x' },
    { ...least, endpoint: '/c' },
  ];
  const batch = makeBatch(events, makePageNames(), windowV1(now));
  t.strictSame(
    plainEvents(batch).map(({ endpoint }) => endpoint),
    ['/a', '/b', '/c'],
  );
  t.equal(batch.rejected, 3);
  t.strictSame(rejectedCounts(batch), { not_an_object: 1, status_missing: 1, at_invalid: 1 });
});

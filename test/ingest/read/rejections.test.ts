import t from 'tap';
import { type RejectionReason, rejectionReasons } from '../../../contract/rejections.js';
import { Batch } from '../../../ingest/read/batch.js';
import { windowV1, windowV2 } from '../../../ingest/read/time-window.js';
import { makeBatchReader, makePageNames, plainEvents } from '../../support/batches.js';
import { leastCpuMsOf } from '../../support/cpu-time.js';

const now = Date.UTC(2026, 0, 31, 12);
const reader = makeBatchReader();
const good = { endpoint: '/a', status: 200, service: 'shop' };

function read(events: readonly unknown[], version: 1 | 2 = 1): Batch {
  const batch = new Batch();
  const window = version === 1 ? windowV1(now) : windowV2(now);
  const body = version === 1 ? events : { reporter: {}, events };
  reader.read([Buffer.from(JSON.stringify(body))], makePageNames(), window, version, batch);
  return batch;
}

function messageOf(event: unknown, reason: RejectionReason, version: 1 | 2 = 1): string {
  const message = read([event], version).rejections.get(reason)?.message;
  return message ?? `not rejected as ${reason}`;
}

t.test('a message names the field, what is allowed, what was sent, and what to do', async (t) => {
  const cases: [event: unknown, reason: RejectionReason, message: string][] = [
    [
      'GET /a 200',
      'not_an_object',
      'An event must be an object such as {"endpoint": "/cart/:id", "status": 200}; it was a text.',
    ],
    [
      { endpoint: '/a' },
      'status_missing',
      '"status" is missing. Send the HTTP status of the response, a whole number from 100 to 599; "statusCode" and "status_code" are read, too.',
    ],
    [
      { ...good, status: '200' },
      'status_invalid',
      '"status" must be a whole number from 100 to 599, without quotes; it was the text "200".',
    ],
    [
      { endpoint: '/a', statusCode: 99.5 },
      'status_invalid',
      '"status" must be a whole number from 100 to 599, without quotes; it was the number 99.5.',
    ],
    [
      { status: 200 },
      'endpoint_missing',
      '"endpoint" is missing. Send the route template, such as "/cart/:id"; "path" and "route" are read, too.',
    ],
    [
      { ...good, endpoint: ['/a'] },
      'endpoint_invalid',
      '"endpoint" must be a text that is not blank and has no control characters; it was an array. Send the route template, such as "/cart/:id".',
    ],
    [
      { status: 200, route: `/orders/${'9'.repeat(300)}` },
      'endpoint_too_long',
      '"endpoint" must have at most 200 characters; it was a text that is not repeated because it looks like a secret. Send the route template, such as "/cart/:id".',
    ],
    [
      { ...good, endpoint: '/a b'.repeat(60) },
      'endpoint_too_long',
      '"endpoint" must have at most 200 characters; it was the text "/a b/a b/a b/a b/a b/a b/a b/a b/a b/a b…". Send the route template, such as "/cart/:id".',
    ],
    [
      { ...good, at: 1_769_860_800 },
      'at_invalid',
      '"at" must be an ISO-8601 time that exists, such as "2026-01-31T23:59:59.000Z"; it was the number 1769860800. Without "at" the time of arrival counts.',
    ],
    [
      { ...good, at: '2026-01-01T00:00:00Z' },
      'too_old',
      '"at" must be at most 14 days before the event arrives; it was the text "2026-01-01T00:00:00Z", and it arrived at 2026-01-31T12:00:00.000Z. Check the sender\'s clock, and send events sooner.',
    ],
    [
      { ...good, at: '2026-01-31T12:02:00Z' },
      'in_the_future',
      '"at" must be at most 60 seconds after the event arrives; it was the text "2026-01-31T12:02:00Z", and it arrived at 2026-01-31T12:00:00.000Z. Check the sender\'s clock.',
    ],
    [
      { ...good, method: 'GET /a' },
      'method_invalid',
      '"method" must be a word such as GET, of at most 20 letters, digits, "_" and "-"; it was the text "GET /a".',
    ],
  ];
  for (const [event, reason, message] of cases) t.equal(messageOf(event, reason), message);
  t.match(messageOf({ ...good, at: '2026-01-31T11:00:00Z' }, 'too_old', 2), 'at most 10 minutes before');
});

t.test('the place is that in the body, whichever step rejects the event', async (t) => {
  const batch = read([
    null,
    good,
    { ...good, status: 1 },
    { ...good, endpoint: '/b' },
    7,
    good,
    { status: 200 },
  ]);
  batch.filter((i) =>
    batch.unknownEndpoint[i] === '/a' ? { reason: 'endpoint_limit', describe: () => 'first' } : undefined,
  );
  batch.filter(() => ({ reason: 'service_limit', describe: () => 'second' }));
  t.equal(batch.length, 0);
  t.equal(batch.rejected, 7);
  const rejected = [...batch.rejections].map(([reason, { count, firstIndex, service }]) => [
    reason,
    count,
    firstIndex,
    service,
  ]);
  t.strictSame(rejected, [
    ['not_an_object', 2, 0, undefined],
    ['status_invalid', 1, 2, 'shop'],
    ['endpoint_missing', 1, 6, 'Unassigned'],
    ['endpoint_limit', 2, 1, 'shop'],
    ['service_limit', 1, 3, 'shop'],
  ]);
  batch.clear();
  t.strictSame([batch.rejected, batch.rejections.size], [0, 0]);
});

t.test('a message repeats little of what was sent, escaped, and no secret', async (t) => {
  const secrets = [
    'postgres://me:hunter2@db/orders',
    `/reset/${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z'}`,
    'password=hunter2',
    `Bearer key_ingest_${'a1B2'.repeat(11)}`,
  ];
  for (const secret of secrets) {
    for (const [field, reason] of [
      ['status', 'status_invalid'],
      ['at', 'at_invalid'],
      ['method', 'method_invalid'],
    ] as const) {
      const message = messageOf({ ...good, [field]: secret, message: secret }, reason);
      t.match(message, 'not repeated because it looks like a secret');
      t.notMatch(message, /hunter2|aB3dE5|a1B2/);
    }
    t.notMatch(
      messageOf({ ...good, endpoint: `${secret} `.repeat(40) }, 'endpoint_too_long'),
      /hunter2|aB3d|a1B2/,
    );
  }
  const odd = messageOf({ ...good, status: `\u001b[31m"\u202e\ud800${'ä'.repeat(100)}` }, 'status_invalid');
  t.match(odd, `"\\u001b[31m\\"\ufffd\ufffd${'ä'.repeat(32)}…"`);
  for (const field of ['status', 'at', 'method', 'endpoint']) {
    const batch = read([{ ...good, [field]: 'x y '.repeat(100_000) }]);
    for (const { message } of batch.rejections.values()) t.ok(message.length < 300, message);
  }
});

t.test('a thousand rejected events cost little more than a thousand good ones', async (t) => {
  const thousand = (event: (i: number) => unknown) => Array.from({ length: 1_000 }, (_, i) => event(i));
  const bodies = {
    status: thousand(() => ({ ...good, status: '200' })),
    endpoint: thousand((i) => ({ ...good, endpoint: `/${i}`.padEnd(1_500, 'x') })),
    at: thousand((i) => ({ ...good, at: `yesterday ${i}` })),
    odd: thousand((i) => (i % 2 === 0 ? null : { ...good, status: [i] })),
  };
  for (const [name, events] of Object.entries(bodies)) {
    const batch = read(events);
    t.equal(batch.rejected, 1_000);
    const took = leastCpuMsOf(() => void read(events));
    t.ok(took < 200, `${name}: ${Math.round(took)} ms`);
  }
});

t.test('good events around rejected ones stay as they are', async (t) => {
  const batch = read([good, { ...good, status: 0 }, { ...good, endpoint: '/b' }, 'x', good]);
  t.strictSame(
    plainEvents(batch).map(({ endpoint }) => endpoint),
    ['/a', '/b', '/a'],
  );
  t.ok([...batch.rejections.keys()].every((reason) => rejectionReasons.includes(reason)));
});

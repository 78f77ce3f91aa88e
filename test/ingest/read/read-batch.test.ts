import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { PageNames } from '../../../ingest/names/page-names.js';
import { Batch } from '../../../ingest/read/batch.js';
import { windowV1, windowV2 } from '../../../ingest/read/time-window.js';
import { describeUnread, noteUnreadMembers } from '../../../ingest/read/unread.js';
import { findJsonExcess } from '../../../lib/json.js';
import { ServiceError } from '../../../lib/service-error.js';
import {
  makeBatch,
  makeBatchReader,
  makePageNames,
  type PlainEvent,
  plainEvents,
} from '../../support/batches.js';
import { cpuMsOf } from '../../support/cpu-time.js';
import { hostileBodies } from '../../support/hostile-json.js';
import { propertyOf } from '../../support/property.js';

const now = Date.UTC(2026, 0, 31, 12, 0, 30);

type Version = 1 | 2;
type Reading =
  | {
      events: PlainEvent[];
      rejections: object;
      unread: object;
      received: number;
      reporter: unknown;
      batchId: unknown;
    }
  | { error: string };

const windowOf = (version: Version) => (version === 1 ? windowV1(now) : windowV2(now));
const makePage = () => makePageNames({ endpoints: ['/a', '/c'], services: ['shop'] });

const reader = makeBatchReader();

/** One batch for all bodies, as the service uses one again: nothing of a body may be left for the next. */
const reused = new Batch();

function readWith(page: PageNames, body: string | Buffer, version: Version): Reading {
  reused.clear();
  try {
    const envelope = reader.read([Buffer.from(body)], page, windowOf(version), version, reused);
    const received = reused.length + reused.rejected;
    return { ...describe(reused), received, ...envelope };
  } catch (error) {
    if (error instanceof ServiceError) return { error: error.kind };
    throw error;
  }
}

const read = (body: string | Buffer, version: Version = 1) => readWith(makePage(), body, version);

function describe(batch: Batch) {
  const rejections = Object.fromEntries([...batch.rejections].sort());
  return { events: plainEvents(batch), rejections, unread: [...batch.unread] };
}

/** The definition: a bound on its depth, JSON.parse, the two forms of a body, then normalize. */
function expected(body: string, version: Version): Reading {
  if (findJsonExcess(Buffer.from(body)) === 'depth') return { error: 'bodyNotJson' };
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { error: 'bodyNotJson' };
  }
  const fields: {
    events?: unknown;
    reporter?: unknown;
    batchId?: unknown;
    version?: unknown;
    environment?: unknown;
  } = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  const { reporter, batchId, version: named, environment } = fields;
  if (version === 2 && (typeof reporter !== 'object' || reporter === null || Array.isArray(reporter))) {
    return { error: 'noReporter' };
  }
  const events = version === 1 && Array.isArray(value) ? value : fields.events;
  if (!Array.isArray(events)) return { error: version === 1 ? 'noEventArray' : 'noReporterEvents' };
  const batch = makeBatch(events, makePage(), windowOf(version), version);
  if (!Array.isArray(value)) noteUnreadMembers(batch, fields, version);
  const envelope =
    version === 1
      ? { reporter: undefined, batchId, version: named, environment }
      : { reporter, batchId, version: undefined, environment: undefined };
  return { ...describe(batch), received: events.length, ...envelope };
}

const runs = propertyOf(t, { few: 250, many: 5_000 });
const versions = fc.constantFrom<Version>(1, 2);

t.test('every body gives what JSON.parse and normalize() give', async () => {
  fc.assert(
    fc.property(hostileBodies, versions, (body, version) => {
      // A lone surrogate does not survive the way through UTF-8, for either of them.
      const text = body.toWellFormed();
      deepStrictEqual(read(text, version), expected(text, version));
    }),
    runs,
  );
});

t.test('names learnt from earlier bodies change nothing', async () => {
  const page = makePage();
  fc.assert(
    fc.property(hostileBodies, versions, (body, version) => {
      const text = body.toWellFormed();
      deepStrictEqual(readWith(page, text, version), expected(text, version));
    }),
    runs,
  );
});

t.test('any bytes are read or refused', async () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 60 }),
      hostileBodies,
      fc.nat(),
      versions,
      (junk, body, place, version) => {
        const bytes = Buffer.from(body);
        bytes.set(
          junk.subarray(0, Math.max(0, bytes.length - (place % (bytes.length + 1)))),
          place % (bytes.length + 1),
        );
        read(bytes, version);
        read(Buffer.from(junk), version);
      },
    ),
    runs,
  );
});

t.test('a body that is cut off anywhere is refused', async (t) => {
  const body = '[{"ms":null,"endpoint":"/a","status":200,"x":[true,false,null]},{"ms":null,"status":true}]';
  for (let end = 0; end < body.length; end += 1) {
    t.strictSame(read(body.slice(0, end)), { error: 'bodyNotJson' }, body.slice(0, end));
  }
});

t.test('the two forms of v1', async (t) => {
  const event = '{"endpoint":"/a","status":200}';
  for (const body of [`[${event}]`, `{"events":[${event}]}`, ` { "events" : [ ${event} ] } `]) {
    t.match(read(body), { events: [{ endpoint: '/a', status: 200 }], received: 1 }, body);
  }
  t.match(read('[]'), { events: [], received: 0 });
  for (const body of ['{}', '7', 'null', '"x"', '{"events":{}}', '{"events":null}', '{"Events":[]}']) {
    t.strictSame(read(body), { error: 'noEventArray' }, body);
  }
});

t.test('the one form of v2', async (t) => {
  t.match(read('{"reporter":{"a":1},"events":[]}', 2), { events: [], reporter: { a: 1 } });
  t.match(read('{"events":[],"reporter":{}}', 2), { events: [], reporter: {} });
  for (const body of [
    '[]',
    '{}',
    '{"events":[]}',
    '{"reporter":null,"events":[]}',
    '{"reporter":[],"events":[]}',
  ]) {
    t.strictSame(read(body, 2), { error: 'noReporter' }, body);
  }
  for (const body of ['{"reporter":{}}', '{"reporter":{},"events":{}}', '{"reporter":{},"events":null}']) {
    t.strictSame(read(body, 2), { error: 'noReporterEvents' }, body);
  }
});

t.test('both forms of an object may have the id of the batch', async (t) => {
  const event = '{"endpoint":"/a","status":200}';
  for (const [id, batchId] of [
    ['"b-1"', 'b-1'],
    ['"\\u00e9\\n"', 'é\n'],
    ['null', null],
    ['7', 7],
  ] as const) {
    t.match(read(`{"batchId":${id},"events":[${event}]}`), { received: 1, batchId });
    t.match(read(`{"events":[${event}],"batchId":${id}}`), { received: 1, batchId });
    t.match(read(`{"reporter":{},"batchId":${id},"events":[]}`, 2), { received: 0, batchId });
  }
  t.match(read(`{"batchId":"a","events":[],"batchId":"b"}`), { batchId: 'b' }, 'the last one, as JSON.parse');
  t.match(read(`[{"batchId":"a","endpoint":"/a","status":200}]`), { received: 1, batchId: undefined });
});

t.test('a thousand events are accepted, one more is refused', async (t) => {
  const body = (count: number) =>
    `[${Array.from({ length: count }, () => '{"endpoint":"/a","status":200}').join()}]`;
  t.match(read(body(1_000)), { received: 1_000 });
  t.strictSame(read(body(1_001)), { error: 'tooManyEvents' });
  t.strictSame(read(`{"reporter":{},"events":${body(1_001)}}`, 2), { error: 'tooManyEvents' });
  t.strictSame(read(`[${'0,'.repeat(1_000)}0]`), { error: 'tooManyEvents' });
});

t.test('text that is not UTF-8, or begins with a byte order mark, is not JSON', async (t) => {
  t.strictSame(read(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])), { error: 'bodyNotJson' });
  t.strictSame(read(Buffer.from('\ufeff[]')), { error: 'bodyNotJson' });
  t.strictSame(read(''), { error: 'bodyNotJson' });
});

t.test('hostile bodies of two megabytes are quick', async (t) => {
  const mega = 2_000_000;
  const event = '{"endpoint":"/a","status":200,';
  const bodies = [
    '['.repeat(mega),
    '['.repeat(mega / 2) + ']'.repeat(mega / 2),
    '{"a":'.repeat(mega / 5),
    `[${event}"ms":${'9'.repeat(mega)}}]`,
    `[${event}"ms":0.${'0'.repeat(mega)}1e5}]`,
    `[${event}"ms":1e${'9'.repeat(mega)}}]`,
    `[${event}"at":"${'1'.repeat(mega)}"}]`,
    `[{"status":500,"endpoint":"${'/'.repeat(mega)}"}]`,
    `[{"status":500,"endpoint":"${' /'.repeat(mega / 2)}"}]`,
    `[{"status":500,"endpoint":"/a","method":"${' '.repeat(mega)}"}]`,
    `[{"status":500,"endpoint":"/a","message":"${'\\u0001'.repeat(mega / 6)}"}]`,
    `[{"status":500,"endpoint":"/a","service":"${'İ'.repeat(mega / 2)}"}]`,
    `[{"status":500,"endpoint":"/a",${'"status":500,'.repeat(mega / 13)}"x":1}]`,
    `[{"status":500,"endpoint":"/a"${Array.from({ length: 100_000 }, (_, i) => `,"k${i}":0`).join('')}}]`,
    `{"reporter":${'{"a":'.repeat(mega / 6)}1${'}'.repeat(mega / 6)},"events":[]}`,
    `"${'\\'.repeat(mega)}"`,
    ' '.repeat(mega),
  ];
  for (const body of bodies) {
    const took = cpuMsOf(() => {
      read(body);
      read(body, 2);
    });
    t.ok(took < 2_000, `${body.slice(0, 40)}… took ${Math.round(took)} ms`);
  }
});

t.test('long spellings of a known endpoint do not pile up in memory', async (t) => {
  const page = makePage();
  for (let i = 0; i < 50; i += 1) {
    t.match(readWith(page, `[{"status":200,"endpoint":"/a?${i}${'x'.repeat(1_000_000)}"}]`, 1), {
      received: 1,
    });
  }
  t.equal(page.endpoints.size, 2);
  const held = heldBytes(page);
  t.ok(held < 1_000_000, `${held} bytes are held`);
});

/** Bytes in all buffers that can be reached from a value. */
function heldBytes(value: unknown, seen = new Set<unknown>()): number {
  if (typeof value !== 'object' || value === null || seen.has(value)) return 0;
  seen.add(value);
  if (ArrayBuffer.isView(value)) return value.byteLength;
  const inner: unknown[] = value instanceof Map ? [...value.keys(), ...value.values()] : Object.values(value);
  return inner.reduce((sum: number, each) => sum + heldBytes(each, seen), 0);
}

t.test('what is not read of an event that counts is named, on both paths', async (t) => {
  const usual = { endpoint: '/a', status: 500 };
  const named: [object, RegExp | undefined, Version?][] = [
    [
      { ...usual, ms: 12, at: new Date(now).toISOString(), service: 'shop', message: 'no', method: 'GET' },
      undefined,
    ],
    [{ ...usual, ms: null, at: null, message: null, error: false }, undefined],
    [{ ...usual, service: 'shop' }, undefined, 2],
    [{ ...usual, duration: 12 }, /^The field "duration" is not read; did you mean "ms"\?$/],
    [{ ...usual, latency: 12 }, /"latency" is not read; did you mean "ms"\?$/],
    [{ ...usual, response_time_ms: 12 }, /"response_time_ms" is not read; did you mean "ms"\?$/],
    [{ ...usual, timestamp: 7 }, /"timestamp" is not read; did you mean "at"\?$/],
    [{ ...usual, Message: 'no' }, /"Message" is not read; did you mean "message"\?$/],
    [{ ...usual, mesage: 'no' }, /"mesage" is not read; did you mean "message"\?$/],
    [{ ...usual, serviceName: 'shop' }, /"serviceName" is not read; did you mean "service"\?$/],
    [{ ...usual, serviceName: 'shop' }, undefined, 2],
    [{ ...usual, ms: 1, duration: 12 }, undefined],
    [{ ...usual, traceId: 'abc', os: 'linux', page: 1, host: 'a' }, undefined],
    [{ ...usual, ms: -1 }, undefined],
    [{ ...usual, time: 12 }, /"time" is not read; did you mean "ms" or "at"\?$/],
    [{ ...usual, time: 12, ms: 1 }, /"time" is not read; did you mean "at"\?$/],
    [
      { ...usual, ms: '12ms' },
      /^The value of "ms" is not read: .* without quotes.*; it was the text "12ms"\.$/,
    ],
    [{ ...usual, duration_ms: [] }, /^The value of "ms" is not read: .* it was an array\.$/],
    [{ ...usual, message: 404 }, /^The value of "message" is not read: .* it was the number 404\.$/],
  ];
  const wrong: unknown[] = [];
  for (const [event, sentence, version = 1] of named) {
    // A nested value is not of the usual form.
    for (const more of [undefined, { mixed: {} }]) {
      const events = more === undefined ? [event, event] : [event, { ...usual, status: 0, ...more }];
      const batch = new Batch();
      const body = JSON.stringify(version === 1 ? { events } : { reporter: {}, events });
      reader.read([Buffer.from(body)], makePage(), windowOf(version), version, batch);
      const said = describeUnread(batch);
      if (sentence === undefined ? said !== undefined : !sentence.test(said ?? '')) wrong.push([body, said]);
    }
  }
  t.strictSame(wrong, []);
});

t.test('a warning of what is not read is bounded, and a rejected event is none of it', async (t) => {
  const event = { endpoint: '/a', status: 200 };
  const saidOf = (body: object, version: Version = 1) => {
    const batch = new Batch();
    reader.read([Buffer.from(JSON.stringify(body))], makePage(), windowOf(version), version, batch);
    return [...batch.unread.keys()];
  };
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`latency${i}`, i]));
  t.strictSame(saidOf([{ ...event, ...many }]), ['latency0', 'latency1', 'latency2']);
  t.strictSame(saidOf([{ url: '/a', status: 200 }]), [], 'the rejection says it');
  t.strictSame(saidOf({ events: [event], batch_id: 'a', reporter: {} }), ['batch_id', 'reporter']);
  t.strictSame(saidOf({ events: [event], batchId: 'a', reporter: {} }, 2), []);
  const late = Array.from({ length: 1_000 }, (_, i) => (i === 999 ? { ...event, latency: 1 } : event));
  t.strictSame(saidOf(late), ['latency']);
});

import t from 'tap';
import { seeded } from '../../../bench/support/batches.js';
import { makeName } from '../../../ingest/names/names.js';
import { Batch } from '../../../ingest/read/batch.js';
import type { Version } from '../../../ingest/read/raw-event.js';
import { createBatchReader } from '../../../ingest/read/read-batch.js';
import { isTrap, openReaderMemory } from '../../../ingest/read/reader-memory.js';
import { windowV1 } from '../../../ingest/read/time-window.js';
import { makeBatchReader, makePageNames } from '../../support/batches.js';
import { bodiesAt, makeBody, mutate, pick, pieces } from '../../support/event-bodies.js';
import { propertyOf } from '../../support/property.js';
import { createTwinReaders, forgetOfTwins, makeTwinPage, type TwinPage } from '../../support/twin-readers.js';

const known = { endpoints: ['/a', '/cart/:id', '/é'], services: ['shop', 'é'] };
const both: readonly Version[] = [1, 2];
const { numRuns, seed } = propertyOf(t, { few: 400, many: 100_000 });
const isThorough = numRuns > 400;
const random = seeded(seed);

/** Returns all values of a long list in the third tier, and some in the first. */
function some<Value>(values: readonly Value[], share: number): readonly Value[] {
  return values.filter(() => isThorough || random() < share);
}

function fail(error: unknown): void {
  t.fail(String(error));
}

/** Reads bodies in WebAssembly and by JSON.parse alone, and collects the ones with two outcomes. */
function makeTwins() {
  const twins = createTwinReaders(makeBatchReader());
  const different: object[] = [];
  return {
    different,
    compare(body: string | Buffer, page: TwinPage = makeTwinPage(known), versions = both): void {
      for (const version of versions) {
        const difference = twins.compare(Buffer.from(body), page, version);
        // The first ones say enough.
        if (difference !== undefined && different.length < 3)
          different.push({ body: body.toString().slice(0, 500), version, difference });
      }
    },
    register: (body: string, page: TwinPage) => twins.compare(Buffer.from(body), page, 1, true),
  };
}

/** A body of each version with every field, and one with aliases and other forms. */
const event = `{"service":"shop","endpoint":"/a","method":"GET","status":503,"ms":12.25,"message":"é \\u00e9","at":"2026-01-31T12:00:29.999Z"}`;
const other = `{ "app" : "Neu" ,"route":"/b?c","statusCode":200,"duration_ms":1e2,"error":null,"at":"2026-01-31T12:00Z","x":[1]}`;
const bodies = [
  `[${event},${event}]`,
  `{"batchId":"b-1","events":[${event},7],"reporter":{"reporterId":"w1","a":{"b":["}"]}}}`,
  `{"reporter":{},"events":[${event.replace('503', '"no"')},${other.replace(',"x":[1]', '')}]}`,
  `[${other}]`,
  `{"version":"2.4.1","events":[${event}],"environment":"é\\u00e9","batchId":"b"}`,
];

t.test('bodies that are made and changed at random', async (t) => {
  const twins = makeTwins();
  const pages = [makeTwinPage(known), makeTwinPage(known)];
  const made: Buffer[] = [];
  for (let i = 0; i < numRuns; i += 1) {
    const body = Buffer.from(makeBody(random));
    twins.compare(body, pick(random, pages));
    twins.compare(mutate(random, body, made), pick(random, pages));
    if (made.length < 100) made.push(body);
  }
  t.strictSame(twins.different, []);
});

t.test('bodies that are cut off, or have another byte, at any place', async (t) => {
  const twins = makeTwins();
  const page = makeTwinPage(known);
  for (const body of bodies.map((text) => Buffer.from(text))) {
    for (let end = 0; end < body.length; end += 1) twins.compare(body.subarray(0, end), page);
    for (const byte of some([0x00, 0x1f, 0x22, 0x5c, 0x7d, 0x80, 0xc3, 0xff], 0.3)) {
      for (let place = 0; place < body.length; place += 1) {
        const changed = Buffer.from(body);
        changed[place] = byte;
        twins.compare(changed, page);
      }
    }
  }
  t.strictSame(twins.different, []);
});

t.test('white space and any piece of JSON between the tokens', async (t) => {
  const twins = makeTwins();
  const page = makeTwinPage(known);
  for (const body of bodies) {
    const tokens = body.match(/"(?:\\.|[^"\\])*"|[{}[\],:]|[^{}[\],:"\s]+/g) ?? [];
    for (const space of [' ', '\t\r\n  ', '\u00a0', '\ufeff']) twins.compare(tokens.join(space), page);
    for (const piece of [' ', ...some(pieces, 0.05)]) {
      for (let i = 0; i <= tokens.length; i += 1)
        twins.compare([...tokens.slice(0, i), piece, ...tokens.slice(i)].join(''), page);
    }
  }
  t.strictSame(twins.different, []);
});

t.test('values of every form in every field', async (t) => {
  const twins = makeTwins();
  const page = makeTwinPage(known);
  const day = (text: string) => `"2026-01-31T${text}"`;
  const values = [
    ...pieces,
    ...[
      '-1',
      '-0.0',
      '0.0',
      '1e999',
      '1E+2',
      '1e-7',
      '5e-324',
      '0.1e',
      '1.e2',
      '1e+',
      '--1',
      '+1',
      '0x10',
      'NaN',
    ],
    ...Array.from({ length: 22 }, (_, i) => `${'123456789'.repeat(3).slice(0, i)}`),
    ...Array.from({ length: 22 }, (_, i) => `0.${'987654321'.repeat(3).slice(0, i)}`),
    ...Array.from({ length: 12 }, (_, i) => `${'7'.repeat(i)}.${'3'.repeat(15 - i)}`),
    ...['86400000', '86400000.1', '99', '100', '599', '600', '200 ', '2000', '020', '200.', '200e0'],
    ...[day('12:01:30.000Z'), day('12:01:30.001Z'), day('11:50:30.000Z'), day('11:50:29.999Z')],
    ...['"2026-01-17T12:00:30.000Z"', '"2026-01-17T12:00:29.999Z"', '"2024-02-29T12:00:00.000Z"'],
    ...[
      day('12:00:60.000Z'),
      day('12:60:00.000Z'),
      day('24:00:00.000Z'),
      day('12:00:0:.000Z'),
      day('12:00:00.00:Z'),
    ],
    ...[
      day('12:00:00.000z'),
      day('12:00:00.0000Z'),
      day('12:00:00,000Z'),
      day('12:00:00.000+00'),
      day('12:00:00'),
    ],
    ...['"2026-13-01T12:00:00.000Z"', '"2026-00-01T12:00:00.000Z"', '"2026-01-32T12:00:00.000Z"'],
    ...['"2026-01-00T12:00:00.000Z"', '"1900-02-29T12:00:00.000Z"', '"-026-01-31T12:00:00.000Z"'],
    ...['"0000-01-31T12:00:00.000Z"', '"9999-12-31T23:59:59.999Z"', '"2026-01-31T12:00:2\\u0039.000Z"'],
    ...[`"${'\\"'.repeat(40)}"`, '"\\ud83d\\ude00"', '"\\ud83d"', '"\\u00zz"', '"\\u00e"', '"\\', '"a\\\\"'],
  ];
  for (const name of [
    'service',
    'endpoint',
    'method',
    'status',
    'ms',
    'message',
    'at',
    'latency',
    'app',
    'error',
  ])
    for (const value of some(values, 0.5)) {
      twins.compare(`[{"endpoint":"/a","status":500,"${name}":${value}}]`, page);
      twins.compare(`[{"${name}":${value},"endpoint":"/a","status":500}, ${event}]`, page);
    }
  t.strictSame(twins.different, []);
});

t.test('each pair of keys, the same key and two aliases of a field included', async (t) => {
  const twins = makeTwins();
  const page = makeTwinPage(known);
  const keys = [
    ...[
      'service',
      'app',
      'component',
      'endpoint',
      'path',
      'route',
      'method',
      'status',
      'statusCode',
      'status_code',
    ],
    ...[
      'ms',
      'duration_ms',
      'message',
      'error',
      'at',
      '__proto__',
      'extra',
      'statu',
      'status_codes',
      'm\\u0073',
    ],
  ];
  for (const first of keys)
    for (const second of keys)
      for (const [a, b] of [
        ['"/b"', 'null'],
        ['200', '"x"'],
        ['null', '404'],
      ])
        twins.compare(`[{"${first}":${a},"endpoint":"/a","${second}":${b},"status":500}]`, page, [1]);
  t.strictSame(twins.different, []);
});

t.test('names of many lengths, before and after they are known', async (t) => {
  const twins = makeTwins();
  const page = makeTwinPage(known);
  for (const char of ['x', 'é', '/', ' ', '\\u0041', '?'])
    for (const length of [
      0, 1, 13, 14, 15, 16, 17, 30, 31, 32, 33, 47, 48, 49, 60, 61, 199, 200, 201, 1_023, 1_024, 1_025, 2_000,
    ])
      for (const name of ['endpoint', 'service', 'method', 'message']) {
        const body = `[{"endpoint":"/a","status":500,"${name}":"${char.repeat(length)}"}]`;
        twins.compare(body, page);
        twins.register(body, page);
        for (let times = 0; times < 2; times += 1) twins.compare(body, page, [1]);
      }
  t.strictSame(twins.different, []);
});

t.test('two pages have the same names, and each gets its own', async (t) => {
  const twins = makeTwins();
  const pages = [makeTwinPage(known), makeTwinPage(known), makeTwinPage({})];
  const body = `[${event},${event.replace('"/a"', '"/new"').replace('"shop"', '"new"')}]`;
  for (let times = 0; times < 3; times += 1) for (const page of pages) twins.compare(body, page);
  for (const page of pages) twins.register(body, page);
  for (let times = 0; times < 3; times += 1) for (const page of pages) twins.compare(body, page);
  t.strictSame(twins.different, []);
});

t.test('a name that was removed is unknown, and another one when it comes back', async (t) => {
  const twins = makeTwins();
  const page = makeTwinPage(known);
  for (let times = 0; times < 3; times += 1) {
    for (const body of bodies) for (let again = 0; again < 2; again += 1) twins.compare(body, page);
    forgetOfTwins(page, { endpoints: ['/a'], services: ['shop'] });
    for (const body of bodies) twins.compare(body, page);
    twins.register(`[${event}]`, page);
  }
  t.strictSame(twins.different, []);
});

t.test('a page at its limit of methods', async (t) => {
  const twins = makeTwins();
  for (const methods of [62, 63, 64]) {
    for (const order of [
      ['', '"method":"LAST",', '"method":"MORE",'],
      ['"method":"LAST",', '"method":"no one",', '', '"method":"GET",'],
    ]) {
      const page = makeTwinPage(known);
      for (const names of [page.fast, page.plain]) for (let i = 0; i < methods; i += 1) names.method(`M${i}`);
      const body = `[${order.map((method) => `{${method}"endpoint":"/a","status":200}`).join()}]`;
      for (let times = 0; times < 2; times += 1) twins.compare(body, page, [1]);
    }
  }
  t.strictSame(twins.different, []);
});

t.test('bodies at the bounds: events, marks, bytes and depth', async (t) => {
  const twins = makeTwins();
  const page = makeTwinPage(known);
  const times = (count: number, text = event) => Array.from({ length: count }, () => text).join();
  for (const count of [0, 1, 1_000, 1_001])
    for (const text of [event, '{}', '7', '{"x":1}'])
      twins.compare(`{"reporter":{},"events":[${times(count, text)}]}`, page);
  const members = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":0`).join();
  for (const count of [49_990, 50_010, 99_997, 99_998])
    twins.compare(`[{"endpoint":"/a","status":200,${members(count)}}]`, page, [1]);
  for (const length of [16_360, 16_390, 200_010])
    twins.compare(`{"reporter":{"a":"${'x'.repeat(length)}"},"events":[]}`, page, [2]);
  for (const depth of [97, 98, 99, 100])
    for (const body of [
      `{"reporter":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)},"events":[${event}]}`,
      `{"reporter":{"a":${'['.repeat(depth)}${']'.repeat(depth)}},"events":[${event}]}`,
      `{"reporter":{},"events":[{"endpoint":"/a","status":200,"x":${'['.repeat(depth)}${']'.repeat(depth)}}]}`,
    ])
      twins.compare(body, page, [2]);
  const mebibytes = 2 * 1024 * 1024;
  for (const bytes of [mebibytes - 1, mebibytes, mebibytes + 1])
    twins.compare(
      `[{"endpoint":"/a","status":500,"message":"`.padEnd(bytes - 3, 'm').concat('"}]'),
      page,
      [1],
    );
  t.strictSame(twins.different, []);
});

t.test('more spellings than there is room for, by number and by length', async (t) => {
  for (const [pages, bodiesOfPage, long] of [
    [17, 4, ''],
    [3, 2, 'x'.repeat(1_000)],
  ] as const) {
    const twins = makeTwins();
    const first = makeTwinPage(known);
    const usual = `[${event},${event}]`;
    twins.compare(usual, first);
    for (let page = 0; page < pages; page += 1) {
      const names = makeTwinPage(known);
      for (let i = 0; i < bodiesOfPage; i += 1) {
        const spelt = (k: number) => `{"status":200,"endpoint":"/a?${i}-${k}${long}"}`;
        twins.compare(`[${Array.from({ length: 1_000 }, (_, k) => spelt(k)).join()}]`, names, [1]);
      }
      twins.compare(usual, first);
    }
    t.strictSame(twins.different, []);
  }
});

t.test('a page learns a bounded number of spellings, and they go with it', async (t) => {
  const memory = openReaderMemory();
  const reader = createBatchReader({ onTrap: fail, openMemory: () => memory });
  let learnt = 0;
  const { addSpelling } = memory;
  memory.addSpelling = (page, kind, start, length, number) => {
    const given = addSpelling(page, kind, start, length, number);
    if (given === number) learnt += 1;
    return given;
  };
  const page = makePageNames(known);
  const batch = new Batch();
  for (let i = 0; i < 10; i += 1) {
    const events = Array.from({ length: 1_000 }, (_, k) => event.replace('"/a"', `"/a?${i}-${k}"`));
    batch.clear();
    reader.read([Buffer.from(`[${events.join()}]`)], page, windowV1(bodiesAt), 1, batch);
  }
  t.equal(learnt, 4_096);
});

t.test('a trap costs the instance, not the batch', async (t) => {
  const memories: ReturnType<typeof openReaderMemory>[] = [];
  const traps: unknown[] = [];
  const reader = createBatchReader({
    onTrap: (error) => traps.push(error),
    openMemory() {
      const memory = openReaderMemory();
      memories.push(memory);
      return memory;
    },
  });
  const page = makeTwinPage(known);
  const twins = createTwinReaders(reader);
  const body = Buffer.from(`[${event},${event}]`);
  t.equal(twins.compare(body, page, 1), undefined);
  // The addresses of keys are in these tables, and lead out of the memory now.
  memories[0]?.bytes.fill(0xff, 1_024, 4_096);
  t.equal(twins.compare(body, page, 1), undefined);
  t.equal(traps.length, 1);
  t.ok(isTrap(traps[0]));
  t.equal(memories.length, 2);
  for (let times = 0; times < 2; times += 1) t.equal(twins.compare(body, page, 1), undefined);
  t.equal(traps.length, 1);
});

t.test('a name of a page that is not the one of the body is never given', async (t) => {
  const memory = openReaderMemory();
  const reader = createBatchReader({ onTrap: fail, openMemory: () => memory });
  const [page, empty] = [makePageNames(known), makePageNames()];
  const batch = new Batch();
  const read = (names: typeof page) => {
    batch.clear();
    reader.read([Buffer.from(`[${event}]`)], names, windowV1(bodiesAt), 1, batch);
    return batch.endpoint[0];
  };
  t.equal(read(page), page.endpoints.get('/a'));
  t.equal(read(page), page.endpoints.get('/a'));
  t.equal(read(empty), undefined);
  const renamed = makeName('/a');
  empty.endpoints.set('/a', renamed);
  t.equal(read(empty), renamed);
  t.equal(read(page), page.endpoints.get('/a'));
});

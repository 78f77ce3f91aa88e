import fc from 'fast-check';

/** JSON texts of values for a field: mostly invalid ones, and a few valid ones. */
const oddValues = fc.constantFrom(
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1e400',
  '-1e400',
  '1E-400',
  '200.0',
  '2e2',
  '20000e-2',
  '0.1e1',
  '599.5',
  '4.35',
  '1.005',
  '123456789012345678901234567890',
  '0.30000000000000004',
  '9007199254740993',
  '""',
  '" "',
  '"200"',
  `"/${'x'.repeat(200)}"`,
  '"postgres://me:hunter2@db/a"',
  '"\\u0000"',
  '"\\ud83d"',
  '"\\ud83d\\ude00"',
  '"\\u0041"',
  '"é😀"',
  '[]',
  '{}',
  '[1]',
  '{"status":200}',
  '"2026-01-31T12:00:00.000Z"',
  '"2026-01-31T11:59:59.999Z"',
  '"2026-01-31T11:59:61.999Z"',
  '"2026-01-31T11:59:5 .999Z"',
  '"2026-01-31T11:59:30"',
  '"2026-01-31T12:00:30.5+00"',
  '"2026-01-31T12:00:30,500Z"',
  '"2026-02-30T12:00:00.000Z"',
  '"1999-01-31T12:00:00.000Z"',
);

const usualValues = fc.constantFrom(
  '200',
  '404',
  '500',
  '12.5',
  '"/a"',
  '"/a/"',
  '"/b?x=1"',
  '"GET"',
  '"post"',
  '"shop"',
  '"Shop"',
  '"timeout"',
  '"2026-01-31T12:00:00.123Z"',
  '"2026-01-31T12:00:59.999Z"',
  '"2026-01-31T11:58:00.000Z"',
);

const eventKeys = fc.constantFrom(
  ...['service', 'app', 'component', 'endpoint', 'path', 'route', 'method', 'status', 'statusCode'],
  ...['status_code', 'ms', 'duration_ms', 'message', 'error', 'at'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'extra', '', 'st\\u0061tus', 'Status', '🔑'],
);

const space = fc.constantFrom('', '', '', '', ' ', '\n\t\r ', '\u00a0', '\ufeff');

const deep = fc.integer({ min: 1, max: 3_000 }).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`);

const value = fc.oneof(
  { weight: 6, arbitrary: usualValues },
  { weight: 6, arbitrary: oddValues },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: fc.jsonValue().map((json) => JSON.stringify(json)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.double().map(String) },
);

const pair = fc
  .tuple(space, eventKeys, space, value, space)
  .map(([before, key, between, json, after]) => `${before}"${key}"${between}:${json}${after}`);

/** An event with its two required fields, and any others before or after them. */
const nearEvent = fc
  .tuple(fc.array(pair, { maxLength: 4 }), fc.array(pair, { maxLength: 4 }), fc.boolean())
  .map(([before, after, complete]) => {
    const needed = complete ? ['"endpoint":"/a"', '"status":500'] : [];
    return `{${[...before, ...needed, ...after].join(',')}}`;
  });

const usualEvent = fc
  .record({
    service: fc.constantFrom('shop', 'SHOP', 'é', ''),
    endpoint: fc.constantFrom('/a', '/a/', '/c?d', '/\ud800'),
    method: fc.constantFrom('GET', 'post', 'PUT'),
    status: fc.constantFrom(200, 404, 503),
    ms: fc.double({ min: -1, max: 1e6 }),
    message: fc.constantFrom('', 'boom', '"quoted"', '\u0007bell'),
    at: fc
      .integer({ min: -700_000, max: 70_000 })
      .map((ms) => new Date(Date.UTC(2026, 0, 31, 12) + ms).toISOString()),
  })
  .map((event) => JSON.stringify(event));

const element = fc.oneof(
  { weight: 5, arbitrary: usualEvent },
  { weight: 5, arbitrary: nearEvent },
  { weight: 1, arbitrary: value },
);

const eventArray = fc
  .tuple(space, fc.array(element, { maxLength: 8 }), space)
  .map(([before, elements, after]) => `${before}[${elements.join(`,${after}`)}${after}]`);

const reporter = fc.oneof(
  fc.constant('{"reporterId":"w1","englishName":"Worker {1}"}'),
  fc.constant('{"reporterId":"}\\"{","englishName":"]","a":[{"b":"\\\\"}]}'),
  value,
);

const batchId = fc.oneof(fc.constantFrom('"b-1"', '"\\u00e9\\n"', '"é"', '""', 'null', '7', '"open'), value);

const envelope = fc
  .array(
    fc.oneof(
      eventArray.map((json) => `"events":${json}`),
      reporter.map((json) => `"reporter":${json}`),
      batchId.map((json) => `"batchId":${json}`),
      pair,
    ),
    {
      maxLength: 4,
    },
  )
  .map((pairs) => `{${pairs.join(',')}}`);

/** The text with a change that usually breaks it. */
const broken = fc
  .tuple(fc.oneof(eventArray, envelope), fc.nat(), fc.constantFrom('cut', 'drop', 'put'), fc.nat())
  .map(([text, position, what, char]) => {
    const at = position % (text.length + 1);
    if (what === 'cut') return text.slice(0, at);
    if (what === 'drop') return text.slice(0, at) + text.slice(at + 1);
    return text.slice(0, at) + '{}[],:"\\0e.-tn\u0000 '.charAt(char % 16) + text.slice(at);
  });

/** Request bodies close to an event batch: good, odd and malformed. Times are around noon of 2026-01-31. */
export const hostileBodies: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: eventArray },
  { weight: 4, arbitrary: envelope },
  { weight: 2, arbitrary: broken },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);

/** Returns a number from 0 to below 1; see `seeded` of bench/support. */
export type Random = () => number;

const at = Date.UTC(2026, 0, 31, 12, 0, 30);

/** The time that bodies of this file are written around, in milliseconds since the epoch. */
export const bodiesAt = at;

const names = {
  service: ['service', 'app', 'component'],
  endpoint: ['endpoint', 'path', 'route'],
  status: ['status', 'statusCode', 'status_code'],
  ms: ['ms', 'duration_ms'],
  message: ['message', 'error'],
} as const;

const integers = [0, 1, 9, 10, 99, 100, 199, 200, 404, 500, 599, 600, 999, 1000, 9_999_999, 10_000_000];

/** JSON texts, with which mutations replace values and fill gaps. */
export const pieces: readonly string[] = [
  ...'{ } [ ] : , " \\ \n \t . - + e E 0 00 1 \u0000 \u001f \u007f é 😀 \ufeff null true false nul'.split(
    ' ',
  ),
  ...[
    '{}',
    '[]',
    '{"a":1}',
    '[1]',
    '""',
    '"\\""',
    '"\\u0000"',
    '"\\ud83d"',
    '"\\ud83d\\ude00"',
    '"\\u12g4"',
    '"\\x"',
  ],
  ...[
    '-0',
    '1e400',
    '-1e400',
    '1e-400',
    '200.0',
    '2e2',
    '0.1e1',
    '1.',
    '.5',
    '01',
    '1.005',
    '12.345678901234567',
  ],
  ...[
    '9007199254740993',
    '123456789012345',
    '0.000000000000001',
    '1234567.12345678',
    '99999999',
    '86400000.5',
  ],
  ...[
    '"at":',
    '"ms":',
    '"status":200',
    '"endpoint":"/a"',
    '"method":"GET"',
    '"service":"shop"',
    '"error":"no"',
  ],
  ...[
    '"events":[',
    '"reporter":{"reporterId":"w1"}',
    '"batchId":"b"',
    '"version":"2.4.1"',
    '"environment":"production"',
    '"__proto__":1',
    '"latency":5',
    '"extra":"x"',
  ],
  ...[
    '"2026-01-31T12:00:00.000Z"',
    '"2026-01-31T12:00:60.000Z"',
    '"2026-01-31T12:00:00Z"',
    '"2026-02-29T12:00:00.000Z"',
  ],
  ...['"2026-01-31T12:00:00.123456+00:00"', '"2026-01-31 12:00:00.000Z"', '"0000-01-01T00:00:00.000Z"'],
];

export function pick<Value>(random: Random, values: readonly [Value, ...Value[]] | readonly Value[]): Value {
  return values[Math.floor(random() * values.length)] as Value; // The lists of this file are not empty.
}

function chance(random: Random, of: number): boolean {
  return random() < of;
}

function space(random: Random): string {
  return chance(random, 0.9) ? '' : pick(random, [' ', '\n', '\t', '\r\n', '    ']);
}

function name(random: Random, kind: 'endpoint' | 'service'): string {
  const length = pick(
    random,
    [0, 1, 5, 15, 16, 17, 31, 32, 33, 60, 61, 200, 201, 1_000, 1_024, 1_025, 2_000],
  );
  const usual =
    kind === 'endpoint' ? ['/a', '/a/', '/cart/:id', '/a?x=1', '/é', '/😀#f'] : ['shop', 'Shop', ' é '];
  if (chance(random, 0.9)) return pick(random, usual);
  return (
    (kind === 'endpoint' ? '/' : '') +
    pick(random, ['x', 'é', '/', ' ', 'xy']).repeat(length).slice(0, length)
  );
}

function text(random: Random, value: string): string {
  const json = JSON.stringify(value);
  if (chance(random, 0.95)) return json;
  const char = value.charCodeAt(0);
  return Number.isNaN(char) ? json : `"\\u${char.toString(16).padStart(4, '0')}${json.slice(2)}`;
}

function number(random: Random): string {
  const decimals = Math.floor(random() * 18);
  if (chance(random, 0.4)) return String(pick(random, integers));
  if (chance(random, 0.3)) return (random() * 10 ** Math.floor(random() * 9)).toFixed(decimals);
  if (chance(random, 0.1)) return String((random() - 0.5) * 10 ** Math.floor(random() * 40 - 20));
  return String(Math.round(random() * 1e5) / 100);
}

function time(random: Random): string {
  const edges = [60_000, 60_001, -600_000, -600_001, -14 * 86_400_000, -14 * 86_400_000 - 1, 0];
  const offset = chance(random, 0.1) ? pick(random, edges) : Math.floor(random() * -300_000);
  const iso = new Date(at + offset).toISOString();
  if (chance(random, 0.85)) return iso;
  const day = iso.slice(0, 19);
  const other = [`${day}Z`, day, day.slice(0, 16), `${day}.5Z`, `${day},123456Z`, `${day}.123456+00:00`];
  return pick(random, [
    ...other,
    `${day}-02`,
    `${day}.000+0130`,
    iso.replace('T', ' '),
    iso.replace('Z', ''),
    'now',
    '',
  ]);
}

/** Returns the JSON text of an event: mostly usual, with its keys in one of a few orders. */
export function makeEvent(random: Random): string {
  const alias = (field: keyof typeof names) =>
    chance(random, 0.9) ? names[field][0] : pick(random, names[field]);
  const status = pick(random, ['200', '201', '404', '500', '503']);
  const members: [key: string, value: string][] = [
    [alias('service'), text(random, name(random, 'service'))],
    [alias('endpoint'), text(random, name(random, 'endpoint'))],
    ['method', text(random, pick(random, ['GET', 'GET', 'POST', 'get', ' Put ', 'PROPFIND', 'no method']))],
    [alias('status'), chance(random, 0.95) ? status : number(random)],
    [alias('ms'), number(random)],
    [
      alias('message'),
      text(random, pick(random, ['boom', '', '"quoted"', '\u0007bell', 'é', 'm'.repeat(201)])),
    ],
    ['at', text(random, time(random))],
  ];
  const kept = members.filter(() => chance(random, 0.93));
  if (chance(random, 0.1))
    kept.push([pick(random, ['latency', 'traceId', 'st\\u0061tus', '', '🔑']), number(random)]);
  if (chance(random, 0.03)) kept.push([pick(random, members)[0], pick(random, pieces)]);
  if (chance(random, 0.1)) kept.sort(() => random() - 0.5);
  const values = kept.map(([key, value]) => {
    const sent = chance(random, 0.02) ? pick(random, ['null', 'true', '"x"', '7', '{}', '[]']) : value;
    return `${space(random)}"${key}"${space(random)}:${space(random)}${sent}`;
  });
  return `{${values.join(',')}${space(random)}}`;
}

/** Returns a body of either version with up to `eventsMax` events, usually of the right form. */
export function makeBody(random: Random, eventsMax = 8): string {
  const count = Math.floor(random() * (eventsMax + 1));
  const element = () => (chance(random, 0.98) ? makeEvent(random) : pick(random, pieces));
  const array = `[${space(random)}${Array.from({ length: count }, element).join(`,${space(random)}`)}]`;
  if (chance(random, 0.2)) return array;
  const members = [`"events":${space(random)}${array}`];
  if (chance(random, 0.5)) members.push(`"reporter":{"reporterId":"w${count}","englishName":"Worker {1}"}`);
  if (chance(random, 0.3))
    members.push(`"batchId"${space(random)}:${text(random, pick(random, ['b-1', 'é', '']))}`);
  for (const name of ['"version"', '"environment"']) {
    if (chance(random, 0.2))
      members.push(`${name}${space(random)}:${text(random, pick(random, ['2.4.1', 'é', '']))}`);
  }
  if (chance(random, 0.02)) members.push(pick(random, pieces));
  if (chance(random, 0.5)) members.reverse();
  return `${space(random)}{${members.join(`${space(random)},`)}}${space(random)}`;
}

/** Returns the bytes with one to four changes; `others` are bodies that parts come from. */
export function mutate(random: Random, body: Buffer, others: readonly Buffer[]): Buffer {
  let changed = body;
  for (let times = 1 + Math.floor(random() * 4); times > 0; times -= 1)
    changed = mutateOnce(random, changed, others);
  return changed;
}

function mutateOnce(random: Random, body: Buffer, others: readonly Buffer[]): Buffer {
  const place = Math.floor(random() * (body.length + 1));
  const end = Math.min(body.length, place + 1 + Math.floor(random() ** 3 * 40));
  const [before, part, after] = [body.subarray(0, place), body.subarray(place, end), body.subarray(end)];
  const behind = body.subarray(place);
  const piece = Buffer.from(pick(random, pieces));
  switch (Math.floor(random() * 9)) {
    case 0:
      return Buffer.from(before);
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, part, part, after]);
    case 3:
      return Buffer.concat([before, piece, behind]);
    case 4:
      return Buffer.concat([before, piece, after]);
    case 5:
      return Buffer.concat([before, Buffer.from([Math.floor(random() * 256)]), behind.subarray(1)]);
    case 6: {
      const other = others.length === 0 ? body : pick(random, others);
      return Buffer.concat([before, other.subarray(Math.floor(random() * other.length))]);
    }
    default:
      return replaceValue(random, body, piece);
  }
}

/** Replaces what follows a colon, up to the next comma or brace. */
function replaceValue(random: Random, body: Buffer, piece: Buffer): Buffer {
  const colon = body.indexOf(':', Math.floor(random() * body.length));
  if (colon === -1) return body;
  const rest = body.toString('latin1', colon + 1);
  const length = /^[^,}]*/.exec(rest)?.[0].length ?? 0;
  return Buffer.concat([body.subarray(0, colon + 1), piece, body.subarray(colon + 1 + length)]);
}

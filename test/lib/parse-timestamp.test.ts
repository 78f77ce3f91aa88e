import fc from 'fast-check';
import t from 'tap';
import { parseTimestamp } from '../../lib/timestamp.js';
import { propertyOf } from '../support/property.js';

const noon = Date.UTC(2026, 0, 31, 12, 0, 0);

const valid: Record<string, number> = {
  '2026-01-31T12:00:00.000Z': noon,
  '2026-01-31T12:00:00Z': noon,
  '2026-01-31T12:00Z': noon,
  '2026-01-31T12:00': noon,
  '2026-01-31T12:00:00': noon,
  '2026-01-31T12:00:00,250Z': noon + 250,
  '2026-01-31T12:00:00.1Z': noon + 100,
  '2026-01-31T12:00:00.999999999Z': noon + 999,
  '2026-01-31T12:00:00.0009Z': noon,
  '2026-01-31T13:30:00+01:30': noon,
  '2026-01-31T13:30:00+0130': noon,
  '2026-01-31T04:00:00-08': noon,
  '2026-01-31T12:00:00-00:00': noon,
  '2026-01-31T23:59:59.999Z': Date.UTC(2026, 0, 31, 23, 59, 59, 999),
  '2024-02-29T00:00:00.000Z': Date.UTC(2024, 1, 29),
  '2000-02-29T00:00:00.000Z': Date.UTC(2000, 1, 29),
  '1969-12-31T23:59:59.999Z': -1,
  '0050-01-01T00:00:00.000Z': new Date(0).setUTCFullYear(50, 0, 1),
};

const invalid = [
  '',
  'yesterday',
  '2026-01-31',
  '2026-01-31 12:00:00Z',
  '2026-1-31T12:00:00Z',
  '2026-02-30T12:00:00.000Z',
  '2026-02-29T12:00:00.000Z',
  '1900-02-29T12:00:00.000Z',
  '2026-04-31T12:00:00.000Z',
  '2026-00-10T12:00:00.000Z',
  '2026-13-10T12:00:00.000Z',
  '2026-01-00T12:00:00.000Z',
  '2026-01-32T12:00:00.000Z',
  '2026-01-31T24:00:00.000Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T12:60:00.000Z',
  '2026-01-31T23:59:60.000Z',
  '2026-01-31T23:59:60Z',
  '2026-01-31T12:00:00.Z',
  '2026-01-31T12:00:00.000z',
  '2026-01-31t12:00:00.000Z',
  '2026-01-31T12:00:00+24:00',
  '2026-01-31T12:00:00+01:60',
  '2026-01-31T12:00:00.000Z ',
  ' 2026-01-31T12:00:00.000Z',
  '2026-01-31T12:00:00.000Z\n',
  '2026-01-31T12:00:00.0000000000Z',
  '+002026-01-31T12:00:00.000Z',
  '20260131T120000Z',
  '2026-01-3/T12:00:00.000Z',
  '2026-01-3:T12:00:00.000Z',
  '２０２６-01-31T12:00:00.000Z',
  '1769860800000',
];

t.test('common forms of a date and time are parsed', async (t) => {
  for (const [text, expected] of Object.entries(valid)) t.equal(parseTimestamp(text), expected, text);
});

t.test('times that do not exist and other texts give NaN', async (t) => {
  for (const text of invalid) t.ok(Number.isNaN(parseTimestamp(text)), JSON.stringify(text));
});

t.test('the output of toISOString is parsed exactly', async () => {
  const [first, last] = [Date.UTC(2000, 0, 1), Date.UTC(9999, 11, 31, 23, 59, 59, 999)];
  fc.assert(
    fc.property(fc.integer({ min: first, max: last }), (at) => {
      return parseTimestamp(new Date(at).toISOString()) === at;
    }),
    propertyOf(t, { few: 500, many: 10_000 }),
  );
});

t.test('the same days exist as for toISOString, in any order', async () => {
  const field = (max: number, digits: number) =>
    fc.integer({ min: 0, max }).map((value) => String(value).padStart(digits, '0'));
  const texts = fc.tuple(
    field(2400, 4),
    field(14, 2),
    field(33, 2),
    field(25, 2),
    field(61, 2),
    field(61, 2),
  );
  fc.assert(
    fc.property(texts, ([year, month, day, hour, minute, second]) => {
      const text = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
      const at = parseTimestamp(text);
      const native = Date.parse(text);
      const exists = !Number.isNaN(native) && new Date(native).toISOString() === text;
      return exists ? at === native : Number.isNaN(at);
    }),
    propertyOf(t, { few: 1_250, many: 25_000 }),
  );
});

t.test('the long and the short form of a time give the same result', async () => {
  const [first, last] = [Date.UTC(1970, 0, 1), Date.UTC(2100, 0, 1)];
  fc.assert(
    fc.property(
      fc.integer({ min: first, max: last }),
      fc.integer({ min: -1439, max: 1439 }),
      (at, offset) => {
        const local = new Date(at + offset * 60_000).toISOString().slice(0, -1);
        const two = (value: number) => String(value).padStart(2, '0');
        const zone = `${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
        return parseTimestamp(`${local}${offset < 0 ? '-' : '+'}${zone}`) === at;
      },
    ),
    propertyOf(t, { few: 500, many: 10_000 }),
  );
});

t.test('no text throws or takes long', async () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789-+:.,TZ '), maxLength: 40 });
  fc.assert(
    fc.property(fc.oneof(digits, fc.string({ unit: 'binary' })), (text) => {
      return typeof parseTimestamp(text) === 'number';
    }),
    propertyOf(t, { few: 500, many: 10_000 }),
  );
  parseTimestamp('1'.repeat(2_000_000));
});

import { deepEqual } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { parseMessagesQuery } from '../../analytics/messages.js';
import { parseReportersQuery } from '../../analytics/reporters.js';
import { parseRequestsQuery } from '../../analytics/requests.js';
import { normalizeEndpoint, normalizeMethod, normalizeService } from '../../lib/event-fields.js';
import type { QueryParameters } from '../../lib/query-parameters.js';
import { ServiceError } from '../../lib/service-error.js';
import { propertyOf } from '../support/property.js';

const good = { from: '2026-01-31T00:00:00Z', to: '2026-01-31T01:00:00Z', step: '60' };

const now = Date.parse('2026-01-31T12:34:56.789Z');

const refused: [parameter: string, query: QueryParameters][] = [
  ['from', { ...good, from: '2026-02-30T00:00:00Z' }],
  ['from', { ...good, from: '2026-01-31T00:00:00' }],
  ['from', { ...good, from: '2026-02-30' }],
  ['from', { ...good, from: '2026-01-31Z' }],
  ['from', { ...good, from: '2026-01-31', to: '2026-01-30' }],
  ['from', { ...good, from: 'now', to: 'now' }],
  ['from', { from: '2026-02-01T00:00:00Z' }],
  ['from', { ...good, from: '1769817600' }],
  ['from', { ...good, from: '2026-01-31T00:00:60Z' }],
  ['from', { ...good, from: '1960-01-31T00:00:00Z' }],
  ['to', { ...good, to: 'now+1h' }],
  ['to', { ...good, to: 'now-1' }],
  ['to', { ...good, to: 'now-1w' }],
  ['to', { ...good, to: 'now - 1h' }],
  ['to', { ...good, to: '-6h' }],
  ['to', { ...good, to: 'now-999999d' }],
  ['to', { ...good, to: 'yesterday' }],
  ['to', { ...good, to: '' }],
  ['to', { ...good, to: '2126-01-31T00:00:00Z' }],
  ['from', { ...good, from: good.to }],
  ['from', { ...good, from: ['2026-01-31T00:00:00Z', '2026-01-31T00:00:00Z'] }],
  ['step', { ...good, step: '90' }],
  ['step', { ...good, step: '0' }],
  ['step', { ...good, step: '-60' }],
  ['step', { ...good, step: '6e1' }],
  ['step', { ...good, step: '60.0' }],
  ['step', { ...good, to: '2026-02-28T00:00:00Z' }],
  ['limit', { ...good, limit: '0' }],
  ['limit', { ...good, limit: '201' }],
  ['limit', { ...good, to: '2026-02-01T00:00:00Z', groupBy: 'service', limit: '200' }],
  ['status', { ...good, status: '99' }],
  ['status', { ...good, status: '5xx' }],
  ['groupBy', { ...good, groupBy: 'page_id' }],
  ['groupBy', { ...good, groupBy: '' }],
  ['service', { ...good, service: ' ' }],
  ['endpoint', { ...good, endpoint: '' }],
  ['endpoint', { ...good, endpoint: '?a' }],
  ['method', { ...good, method: 'GET /' }],
  ['statuss', { ...good, statuss: '200' }],
  ['__proto__', JSON.parse('{"__proto__": "x"}')],
  ['constructor', { ...good, constructor: 'x' }],
];

for (const [parameter, query] of refused) {
  t.throws(
    () => parseRequestsQuery(query, now),
    { kind: 'invalidParameter', message: new RegExp(`"${parameter}"`) },
    `${parameter} in ${JSON.stringify(query)}`,
  );
}

t.match(parseRequestsQuery({ ...good, from: '2026-01-31T02:00:00+02:00' }, now), {
  from: Date.parse(good.from),
});
t.throws(() => parseReportersQuery({ window: '59' }), { message: /"window"/ });
t.throws(() => parseReportersQuery({ window: '1209601' }), { message: /"window"/ });
t.same(parseReportersQuery({}), { windowSeconds: 3600 });
t.throws(() => parseMessagesQuery({ ...good }, now), { message: /"step"/ });
t.throws(() => parseMessagesQuery({ from: good.from, to: good.to, limit: '1001' }, now), {
  message: /"limit"/,
});

t.test('without from and to it is the last hour', (t) => {
  t.same(parseMessagesQuery({}, now), { from: now - 3_600_000, to: now, now, filters: {}, limit: 100 });
  t.match(parseMessagesQuery({ to: good.to }, now), { from: Date.parse(good.from), to: Date.parse(good.to) });
  t.match(parseMessagesQuery({ from: good.from }, now), { from: Date.parse(good.from), to: now });
  t.match(parseRequestsQuery({}, now), {
    from: Date.parse('2026-01-31T11:34:00Z'),
    to: Date.parse('2026-01-31T12:35:00Z'),
    stepSeconds: 60,
  });
  t.end();
});

t.test('dates and times relative to now', (t) => {
  const rangeOf = (from: string, to: string) => {
    const range = parseMessagesQuery({ from, to }, now);
    return [range.from, range.to].map((ms) => new Date(ms).toISOString());
  };
  t.same(rangeOf('2026-01-30', '2026-01-30'), ['2026-01-30T00:00:00.000Z', '2026-01-31T00:00:00.000Z']);
  t.same(rangeOf('2024-02-28', '2024-02-29'), ['2024-02-28T00:00:00.000Z', '2024-03-01T00:00:00.000Z']);
  t.same(rangeOf('now-7d', 'now-6h'), ['2026-01-24T12:34:56.789Z', '2026-01-31T06:34:56.789Z']);
  t.same(rangeOf('now-30m', 'now'), ['2026-01-31T12:04:56.789Z', '2026-01-31T12:34:56.789Z']);
  t.same(rangeOf('now-0m', '2026-01-31'), ['2026-01-31T12:34:56.789Z', '2026-02-01T00:00:00.000Z']);
  t.throws(() => rangeOf('noon', 'now'), {
    message:
      /with a zone such as .* a date such as 2026-01-31, or relative to now: now, now-30m, now-6h or now-7d; it was the text "noon"\.$/,
  });
  t.end();
});

t.test('a range without step has at most 120 points, and no fewer than it must', (t) => {
  const stepOf = (from: string) => parseRequestsQuery({ from, to: 'now' }, now).stepSeconds;
  t.equal(stepOf('now-1h'), 60);
  t.equal(stepOf('now-6h'), 300);
  t.equal(stepOf('now-1d'), 900);
  t.equal(stepOf('now-3d'), 3_600);
  t.equal(stepOf('now-14d'), 10_800);
  t.equal(stepOf('now-90d'), 86_400);
  t.end();
});

t.test('forms of one time agree, for any time', (t) => {
  const units = { m: 60_000, h: 3_600_000, d: 86_400_000 };
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 0, 1) }),
      fc.integer({ min: 1, max: 5_000 }),
      fc.constantFrom('m' as const, 'h' as const, 'd' as const),
      (now, amount, unit) => {
        const at = now - amount * units[unit];
        const relative = parseMessagesQuery({ from: `now-${amount}${unit}` }, now);
        deepEqual(relative, parseMessagesQuery({ from: new Date(at).toISOString(), to: 'now' }, now));
        const day = new Date(at).toISOString().slice(0, 10);
        const { from, to } = parseMessagesQuery({ from: day, to: day }, now);
        deepEqual([new Date(from).toISOString(), to - from], [`${day}T00:00:00.000Z`, units.d]);
        if (at < from || at >= to) throw new Error('The day does not hold its times.');
      },
    ),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
  t.end();
});

t.test('any text is a time or refused', (t) => {
  const text = fc.oneof(
    fc.string(),
    fc.stringMatching(/^now[-+]?\d*[a-z]?$/),
    fc.stringMatching(/^[\d-]{8,12}$/),
  );
  fc.assert(
    fc.property(text, text, (from, to) => {
      try {
        const range = parseMessagesQuery({ from, to }, now);
        if (!(range.from < range.to)) throw new Error('empty');
      } catch (error) {
        if (!(error instanceof ServiceError) || error.kind !== 'invalidParameter') throw error;
      }
    }),
    propertyOf(t, { few: 250, many: 5_000 }),
  );
  t.end();
});

t.test('names are in the form of stored events', (t) => {
  const filtersOf = (query: QueryParameters) => parseRequestsQuery(query, now).filters;
  t.same(filtersOf({ service: ' Shop ', endpoint: ' /Cart/:id/?a=1 ', method: ' post' }), {
    service: { services: ['shop'], reporter: 'Shop' },
    endpoint: '/Cart/:id',
    method: 'POST',
  });
  t.same(filtersOf({ service: 'Unassigned' }).service?.services, ['unassigned', 'Unassigned']);
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), fc.string({ maxLength: 20 }), (text, method) => {
      const [endpoint, service] = [normalizeEndpoint(text), normalizeService(text)];
      if (endpoint !== undefined) deepEqual(filtersOf({ endpoint: text }), { endpoint });
      if (service !== undefined) deepEqual(filtersOf({ service: text }).service?.services[0], service);
      const known = normalizeMethod(method);
      if (known !== undefined) deepEqual(filtersOf({ method }), { method: known });
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
  t.end();
});

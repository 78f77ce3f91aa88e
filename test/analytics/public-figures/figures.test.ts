import fc from 'fast-check';
import t from 'tap';
import { chooseStep, completedSteps, windows } from '../../../analytics/public-figures/choose-step.js';
import { loadPublicFigures } from '../../../analytics/public-figures/load-figures.js';
import { roundSuccessRate, roundToTwoDigits } from '../../../analytics/public-figures/round.js';
import {
  type FigureSetting,
  figureWindows,
  type PublicFigure,
} from '../../../contract/public/public-figures.js';
import type { PageId } from '../../../lib/ids.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { propertyOf } from '../../support/property.js';
import { openTestClickHouse } from '../../support/stores.js';
import { insertRequests, type LandingRow, newPageId } from '../support.js';

const { clickhouse } = await openTestClickHouse(t);
/** 12:20 of a day whose last two weeks are kept. */
const now = Math.floor(Date.now() / dayMs) * dayMs - 12 * hourMs + 20 * minuteMs;
const hour = (n: number): number => now - 20 * minuteMs - n * hourMs;

const all: FigureSetting = {
  ...{ title: 'Checkout', service: 'api', endpoint: null, window: '24h' },
  shows: ['p95', 'requests', 'successRate'],
};

async function load(id: PageId, fields: Partial<FigureSetting> = {}, at = now): Promise<PublicFigure> {
  const [figure] = await loadPublicFigures({ clickhouse }, { id, figures: [{ ...all, ...fields }] }, at);
  if (figure === undefined) throw new Error('There is no figure.');
  return figure;
}

t.test('a point is of a completed step with at least 100 requests, and rounded', async (t) => {
  const page = newPageId();
  await insertRequests(clickhouse, page, [
    { at: hour(24), latencyMs: Array(1_234).fill(120) },
    { at: hour(23), requests: 99 },
    { at: hour(22), latencyMs: Array(100).fill(120) },
    { at: hour(1), status: 503, requests: 7 },
    { at: hour(1), requests: 12_338 },
    { at: hour(1), status: 404, requests: 5, endpoint: '/other' },
    { at: hour(0), requests: 5_000 },
    { at: hour(1), requests: 9_999, service: 'another' },
  ]);
  const figure = await load(page);
  t.match(figure, {
    ...{ title: 'Checkout', window: '24h', stepSeconds: 3_600 },
    ...{ from: new Date(hour(24)).toISOString(), to: new Date(hour(0)).toISOString() },
  });
  t.equal(figure.requests?.length, 24);
  t.same(figure.requests?.slice(0, 3), [1_200, null, 100]);
  t.equal(figure.requests?.at(-1), 12_000);
  t.same(figure.p95Ms?.slice(0, 3), [120, null, 120]);
  t.same(figure.successRate?.slice(0, 3), [100, null, 100]);
  t.equal(figure.successRate?.at(-1), 99.94, '7 of 12,350 failed, which are 0.057 %');
  t.notMatch(JSON.stringify(figure), /api|other|orders/, 'the service is not named');
  const one = await load(page, { endpoint: '/other', shows: ['requests'] });
  t.same(Object.keys(one).sort(), ['from', 'requests', 'stepSeconds', 'title', 'to', 'window']);
  t.same(new Set(one.requests), new Set([null]), 'five requests say nothing');
  t.same(
    (await load(newPageId())).requests?.filter((count) => count !== null),
    [],
    'of another page',
  );
});

t.test('a quiet service has longer steps', async (t) => {
  const page = newPageId();
  await insertRequests(
    clickhouse,
    page,
    Array.from({ length: 24 }, (_, n): LandingRow => ({ at: hour(n + 1), requests: 40 })),
  );
  const figure = await load(page, { shows: ['requests'] });
  t.equal(figure.stepSeconds, 3 * 3_600);
  t.same(new Set(figure.requests), new Set([120]));
  const week = await load(page, { window: '7d' });
  t.match(week, { stepSeconds: 6 * 3_600, from: new Date(hour(0) - 7 * dayMs).toISOString() });
  t.match(await load(page, { window: '14d' }), { stepSeconds: 12 * 3_600 });
});

t.test('rounding keeps two digits, and 100 % is without failure', (t) => {
  const counts = fc.integer({ min: 100, max: 1e9 });
  fc.assert(
    fc.property(counts, (count) => {
      const rounded = roundToTwoDigits(count);
      const digits = `${rounded}`.replace(/0+$/, '').length;
      return digits <= 2 && Math.abs(rounded - count) <= count / 20;
    }),
    propertyOf(t, { few: 500, many: 20_000 }),
  );
  const outcomes = counts.chain((count) =>
    fc.integer({ min: 0, max: count }).map((errors) => ({ count, errors })),
  );
  fc.assert(
    fc.property(outcomes, ({ count, errors }) => {
      const rate = roundSuccessRate({ count, errors });
      const exact = 100 - (100 * errors) / count;
      const isNear = Math.abs(rate - exact) <= Math.max(0.01, (100 - exact) / 20);
      return isNear && rate >= 0 && (rate === 100) === (errors === 0);
    }),
    propertyOf(t, { few: 500, many: 20_000 }),
  );
  t.end();
});

t.test('steps are of UTC, complete, and divide their window', (t) => {
  const times = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) });
  const choices = fc
    .constantFrom(...figureWindows)
    .chain((window) =>
      fc.constantFrom(...windows[window].stepsMs).map((stepMs) => ({ ms: windows[window].ms, stepMs })),
    );
  fc.assert(
    fc.property(times, choices, (at, { ms, stepMs }) => {
      const { from, to } = completedSteps({ ms, stepMs }, at);
      const age = at - to;
      return to % stepMs === 0 && (to - from) % stepMs === 0 && age >= minuteMs && age < stepMs + minuteMs;
    }),
    propertyOf(t, { few: 500, many: 20_000 }),
  );
  t.equal(chooseStep([1, 3], { from: 0, counts: [] }), 1);
  t.equal(chooseStep([1, 3], { from: 0, counts: [100, 1, 1, 1] }), 3);
  t.equal(chooseStep([1, 3], { from: 0, counts: [100, 100, 1, 1] }), 1, 'half of them are enough');
  t.end();
});

import t from 'tap';
import { colourOf } from '../../../web/dashboard/kit/chart/model.js';
import {
  classOfErrorShare,
  shareLimits,
  toneOfErrorShare,
  usualLimits,
} from '../../../web/dashboard/kit/error-share.js';
import { toneOfRise } from '../../../web/dashboard/screens/overview/rise.js';
import { toneOf } from '../../../web/dashboard/screens/reporters/states.js';

t.test('a share of errors is a warning from 1 % and bad from 5 %, wherever it is shown', (t) => {
  const shares = [0, 0.003, 0.0099, 0.01, 0.0499, 0.05, 0.19, 1];
  const expected = ['good', 'good', 'good', 'warn', 'warn', 'bad', 'bad', 'bad'];
  const calm = expected.map((tone) => (tone === 'good' ? 'none' : tone));
  t.strictSame(
    shares.map((share) => toneOfErrorShare(share, usualLimits)),
    expected,
  );
  t.strictSame(
    shares.map((share) => classOfErrorShare(share, usualLimits)),
    [
      ...[undefined, undefined, undefined, 'share-raised', 'share-raised'],
      ...['share-high', 'share-high', 'share-high'],
    ],
  );
  t.strictSame(
    shares.map((now) => toneOfRise({ now, before: 0, causes: [] }, usualLimits)),
    calm,
  );
  t.strictSame(
    shares.map((share) => toneOf('failing', share, usualLimits)),
    calm,
  );
  const tones = (['failing', 'silent', 'clean'] as const).map((state, i) =>
    toneOf(state, [null, 0, 0.5][i] ?? null, usualLimits),
  );
  t.strictSame(tones, ['none', 'bad', 'good']);
  t.end();
});

t.test('a rise is as bad as the worst of its endpoints', (t) => {
  const now = {
    requests: 100,
    requestsPerSecond: 1,
    errors: 19,
    errorShare: 0.19,
    clientErrors: 0,
    averageMs: null,
  };
  const totals = { ...now, p50Ms: null, p95Ms: null, p99Ms: null };
  const cause = { service: 'shop', endpoint: '/pay', now: totals, before: null };
  t.equal(toneOfRise({ now: 0.003, before: 0.001, causes: [cause] }, usualLimits), 'bad');
  t.end();
});

t.test('the alert rule of a page says what is bad, and a fifth of it is a warning', async (t) => {
  t.strictSame(shareLimits(20), { warn: 0.04, bad: 0.2, isRule: true });
  t.strictSame([shareLimits(null), shareLimits(undefined)], [usualLimits, usualLimits]);
  const tones = (percent: number, shares: readonly number[]) =>
    shares.map((share) => toneOfErrorShare(share, shareLimits(percent)));
  t.strictSame(tones(20, [0.03, 0.05, 0.19, 0.2]), ['good', 'warn', 'warn', 'bad']);
  t.strictSame(tones(0.5, [0.0009, 0.001, 0.003, 0.005]), ['good', 'warn', 'warn', 'bad']);
  t.equal(toneOfErrorShare(null, usualLimits), 'good', 'without requests');
});

t.test('a value of a line has the colour of its level', async (t) => {
  const levels = [
    { from: 0, colour: 'info' },
    { from: 0.01, colour: 'warn' },
    { from: 0.05, colour: 'bad' },
  ] as const;
  const line = { colour: 'none', levels, values: [0.003, 0.01, 0.19, null] } as const;
  t.strictSame(
    [0, 1, 2, 3, undefined].map((i) => colourOf(line, i)),
    ['info', 'warn', 'bad', 'none', 'none'],
  );
  t.equal(colourOf({ colour: 'bad', values: [0.003] }, 0), 'bad', 'a line without levels has one colour');
});

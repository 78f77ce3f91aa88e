import t from 'tap';
import { classOfErrorShare, toneOfErrorShare } from '../../../web/dashboard/kit/error-share.js';
import { toneOfRise } from '../../../web/dashboard/screens/overview/rise.js';
import { toneOf } from '../../../web/dashboard/screens/reporters/states.js';

t.test('a share of errors is a warning from 1 % and bad from 5 %, wherever it is shown', (t) => {
  const shares = [0, 0.003, 0.0099, 0.01, 0.0499, 0.05, 0.19, 1];
  const expected = ['good', 'good', 'good', 'warn', 'warn', 'bad', 'bad', 'bad'];
  const calm = expected.map((tone) => (tone === 'good' ? 'none' : tone));
  t.strictSame(shares.map(toneOfErrorShare), expected);
  t.strictSame(shares.map(classOfErrorShare), [
    ...[undefined, undefined, undefined, 'share-raised', 'share-raised'],
    ...['share-high', 'share-high', 'share-high'],
  ]);
  t.strictSame(
    shares.map((now) => toneOfRise({ now, before: 0, causes: [] })),
    calm,
  );
  t.strictSame(
    shares.map((share) => toneOf('failing', share)),
    calm,
  );
  t.strictSame([toneOf('failing', null), toneOf('silent', 0), toneOf('clean', 0.5)], ['none', 'bad', 'good']);
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
  t.equal(toneOfRise({ now: 0.003, before: 0.001, causes: [cause] }), 'bad');
  t.end();
});

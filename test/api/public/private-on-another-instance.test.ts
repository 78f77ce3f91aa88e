import t from 'tap';
import { summaryLimits } from '../../../contract/public/summary.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makeKey } from '../../support/pages.js';
import { requestAt } from '../../support/request-at.js';
import { startAnother, startTestService, withoutJobs } from '../../support/service.js';

const clock = makeStoppedClock();
const first = await startTestService(t, { clock, roles: withoutJobs });
const second = await startAnother(t, first, { clock, roles: withoutJobs });
const { key } = await makeKey({ sql: first.stores.sql, clock }, { slug: 'acme', scope: 'manage' });

const paths = [
  '/en/',
  '/en/history',
  '/en/card.png',
  '/badge.svg',
  '/en/feed.rss',
  '/api/public/acme/summary',
];
const statusesOn = (instance: typeof first) =>
  Promise.all(paths.map(async (path) => (await requestAt(instance.url, 'acme.localhost', path)).status));
const all = (status: number) => paths.map(() => status);
const setPrivate = (isPrivate: boolean) =>
  requestAt(first.url, '127.0.0.1', '/api/v1/pages/acme', {
    method: 'PATCH',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ private: isPrivate }),
  });

t.test('a page that is made private is so at once here, and within half a minute elsewhere', async (t) => {
  t.strictSame(await statusesOn(first), all(200));
  t.strictSame(await statusesOn(second), all(200));
  t.equal((await setPrivate(true)).status, 200);
  t.strictSame(await statusesOn(first), all(401));
  clock.advance(summaryLimits.freshSeconds * 1000);
  t.strictSame(await statusesOn(second), all(401));
});

t.test('and public again likewise', async (t) => {
  t.equal((await setPrivate(false)).status, 200);
  t.strictSame(await statusesOn(first), all(200));
  clock.advance(summaryLimits.freshSeconds * 1000);
  t.strictSame(await statusesOn(second), all(200));
});

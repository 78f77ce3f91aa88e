import t from 'tap';
import { systemClock } from '../../contract/clock.js';
import { findPage } from '../../control/find-page.js';
import { setPage } from '../../control/set-page.js';
import { makePage } from '../support/pages.js';
import { openTestPostgres } from '../support/stores.js';

const { sql } = await openTestPostgres(t);
const deps = { sql, clock: systemClock };

t.test('what is named changes, the rest and other pages stay', async (t) => {
  const before = await makePage(sql, { slug: 'acme' });
  const other = await makePage(sql, { slug: 'other' });
  const after = await setPage(deps, {
    slug: 'acme',
    databaseHealthEnabled: true,
    capabilities: { 'internal-analytics': false },
  });
  t.strictSame(after, {
    ...before,
    databaseHealthEnabled: true,
    capabilities: ['incident-writes', 'database-health'],
  });
  t.strictSame(await findPage({ sql }, { slug: 'acme' }), after);
  t.strictSame(await findPage({ sql }, { slug: 'other' }), other);

  const back = await setPage(deps, {
    slug: 'acme',
    monitoringPaused: true,
    historyDays: 30,
    capabilities: { 'internal-analytics': true },
  });
  t.strictSame(back, { ...before, databaseHealthEnabled: true, monitoringPaused: true, historyDays: 30 });
  t.match(await setPage(deps, { slug: 'acme', monitoringPaused: false }), { monitoringPaused: false });
});

t.test('an unknown page and a history out of range are refused', async (t) => {
  const page = await makePage(sql, { slug: 'bounds' });
  await t.rejects(setPage(deps, { slug: 'none', monitoringPaused: true }), {
    name: 'ControlError',
    message: 'There is no page with the slug "none".',
  });
  await t.rejects(setPage(deps, { slug: 'bounds', monitoringPaused: true, historyDays: 91 }), {
    name: 'ControlError',
  });
  t.strictSame(await findPage({ sql }, { slug: 'bounds' }), page);
});

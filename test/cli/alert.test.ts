import t from 'tap';
import { findAlertRule, setAlertRule } from '../../control/alerts/index.js';
import { loadPageId } from '../../control/pages/index.js';
import { systemClock } from '../../lib/clock.js';
import { testActor } from '../support/actor.js';
import { environmentFor } from '../support/cli-environment.js';
import { makePage } from '../support/pages.js';
import { runInProcess } from '../support/run-heartline.js';
import { openTestPostgres } from '../support/stores.js';

const postgres = await openTestPostgres(t);
// ClickHouse is unavailable: rules are kept in PostgreSQL.
const env = environmentFor(postgres);
await makePage(postgres.sql);
await makePage(postgres.sql, { slug: 'other' });
const set = (threshold: string, window: string, requests: string, page = 'acme') => [
  ...['alert', 'set', '--page', page, '--threshold', threshold],
  ...['--window', window, '--minimum-requests', requests],
];

async function json(args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await runInProcess([...args, '--json'], env);
  t.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

t.test('a rule is off until it is set, and can be turned off again', async (t) => {
  const off = { page: 'acme', alert: null };
  t.strictSame(await json(['alert', 'show', '--page', 'acme']), off);
  const first = { thresholdPercent: 5, windowSeconds: 300, minimumRequests: 100, incidentId: null };
  t.strictSame(await json(set('5', '300', '100')), { page: 'acme', alert: first });
  const second = { thresholdPercent: 0.5, windowSeconds: 86_400, minimumRequests: 1, incidentId: null };
  t.strictSame(await json(set('0.5', '86400', '1')), { page: 'acme', alert: second });
  t.strictSame(await json(['alert', 'show', '--page', 'acme']), { page: 'acme', alert: second });
  const third = { ...second, windowSeconds: 600 };
  const changed = await json(['alert', 'set', '--page', 'acme', '--window', '600']);
  t.strictSame(changed, { page: 'acme', alert: third }, 'what is not named stays');
  t.match(await runInProcess(['alert', 'set', '--page', 'other', '--window', '600'], env), {
    ...{ code: 2, stdout: '' },
    stderr: /^heartline: --threshold PERCENT and --minimum-requests N are missing\.\n/,
  });
  t.strictSame(await json(['alert', 'show', '--page', 'other']), { page: 'other', alert: null });
  const { stdout } = await runInProcess(['alert', 'show', '--page', 'acme'], env);
  t.match(stdout, /^alert +from 0\.5 % of 5xx$/m);
  t.strictSame(await json(['alert', 'off', '--page', 'acme']), off);
  t.strictSame(await json(['alert', 'show', '--page', 'acme']), off);
  t.equal(
    (await runInProcess(['alert', 'off', '--page', 'acme'], env)).stdout,
    'The page had no alert rule.\n',
  );
});

t.test('a bad rule is refused with a sentence and changes nothing', async (t) => {
  const pageId = await loadPageId(postgres.sql, 'other');
  const rule = { pageId, thresholdPercent: 5, windowSeconds: 300, requestsMin: 1 };
  const deps = { sql: postgres.sql, clock: systemClock, by: testActor };
  const percent = 'The threshold must be above 0 and at most 100 percent.';
  const window = 'The window must be whole minutes, from 60 to 86400 seconds.';
  const requests = 'The minimum of requests must be a whole number from 1 to 1000000000.';
  const refusals: [object, string][] = [
    ...[0, -1, 100.1, Number.NaN].map((n): [object, string] => [{ thresholdPercent: n }, percent]),
    ...[0, 59, 90, 86_460].map((n): [object, string] => [{ windowSeconds: n }, window]),
    ...[0, 1.5, 1_000_000_001].map((n): [object, string] => [{ requestsMin: n }, requests]),
  ];
  for (const [change, message] of refusals) {
    await t.rejects(setAlertRule(deps, { ...rule, ...change }), { message }, JSON.stringify(change));
  }
  t.equal(await findAlertRule(deps, pageId), undefined);
  const refused = await runInProcess(set('5', '90', '100'), env);
  t.same(refused, { code: 1, stdout: '', stderr: `heartline: ${window}\n` });
  const unknown = {
    code: 1,
    stdout: '',
    stderr:
      'heartline: There is no page with the slug "none".\nList the pages with: npx heartline page list\n',
  };
  t.same(await runInProcess(set('5', '300', '100', 'none'), env), unknown);
  t.match(await runInProcess(set('five', '300', '100'), env), { code: 2, stderr: /--threshold must be/ });
});

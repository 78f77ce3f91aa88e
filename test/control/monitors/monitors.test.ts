import t from 'tap';
import { monitorLimits } from '../../../contract/monitors.js';
import {
  type CreateMonitorInput,
  changeMonitor,
  createMonitor,
  deleteMonitor,
  loadMonitor,
  pauseMonitor,
  resumeMonitor,
} from '../../../control/monitors/index.js';
import { parseStatusRanges, parseTcpUrl } from '../../../control/monitors/parse-target.js';
import { type ClaimedCheck, finishCheck } from '../../../control/monitors/probe/decide-state.js';
import { claimChecks, moveSchedule } from '../../../control/monitors/probe/due-checks.js';
import { noPhases } from '../../../control/monitors/probe/phase-meter.js';
import { systemClock } from '../../../lib/clock.js';
import { type MonitorId, newId } from '../../../lib/ids.js';
import { testActor } from '../../support/actor.js';
import { testSecretKey as secretKey } from '../../support/embedded-stores.js';
import { makePage, setPage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const deps = { sql, clock: systemClock, secretKey, by: testActor };
const page = await makePage(sql, { slug: 'acme', languages: ['en', 'fr'] });
const base = { pageId: page.id, name: 'X', kind: 'http', url: 'https://example.com' } as const;
const passed = { ...noPhases, ok: true, error: null, detail: null, status: 200, totalMs: 1 };
const readPauses = (id: MonitorId | null) => sql<{ open: boolean }[]>`
  select to_at is null as open from pauses where page_id = ${page.id} and monitor_id is not distinct from ${id}`;

t.test('invalid settings are refused with a sentence', async (t) => {
  await createMonitor(deps, { ...base, slug: 'taken' });
  const tcp = { kind: 'tcp', url: 'tcp://example.com:1' } as const;
  const refusals: [Partial<CreateMonitorInput>, string][] = [
    [{ slug: 'taken' }, 'The page "acme" has a monitor with the slug "taken" already.'],
    [{ slug: 'No' }, 'The slug "No" must be 1 to 63 of the characters a-z, 0-9 and "-".'],
    [{ name: '' }, 'The name of a monitor must have 1 to 200 characters.'],
    ...['   ', '\u200b', '\u3164', 'two\nlines', 'x\r\nBcc: a@b.test', 'bell \u0001', 'a\u2028b'].map(
      (name): [Partial<CreateMonitorInput>, string] => [{ name }, 'It is one line of visible text.'],
    ),
    [{ url: 'ftp://a' }, 'The URL must start with http:// or https://, not "ftp:".'],
    [{ url: 'http://u:p@a' }, 'The URL must not hold a user name or password.'],
    [{ ...tcp, url: 'http://a' }, '"http://a" must be a host and a port, such as tcp://db.example.com:5432.'],
    [{ ...tcp, body: 'x' }, 'A monitor of type tcp has no body.'],
    [{ periodSeconds: 60 }, 'A monitor of type http has no period.'],
    [{ everySeconds: 9 }, 'The interval must be 10 to 3600 seconds, not 9.'],
    [
      { everySeconds: 10, timeoutMs: 10_001 },
      'The timeout of 10001 ms is longer than the 10 s from one check to the next.',
    ],
    [{ failuresToDown: 0 }, 'The failures in a row before it is down must be 1 to 20, not 0.'],
    [{ expectStatus: '20x' }, 'The expected status "20x" must be like 200-299,404.'],
    [{ method: 'HEAD', expectBody: 'x' }, 'The answer to HEAD has no body that could be expected.'],
    [{ headers: [['Connection', 'close']] }, 'The header "Connection" cannot be set.'],
    [{ headers: [['X-A', '☃']] }, 'The header "X-A" has a name or a value that HTTP does not allow.'],
    [{ headers: [['X-A', 'x'.repeat(8_190)]] }, 'The size of all headers must be 0 to 8192 bytes, not 8193.'],
    [{ body: 'x'.repeat(65_537) }, 'The body must be 0 to 65536 bytes, not 65537.'],
    [{ names: { de: 'Name' } }, '"de" is not a language of the page; those are en, fr.'],
    [{ names: { en: 'Name' } }, 'en is the default language of the page; the name itself is in it.'],
  ];
  for (const [input, message] of refusals) {
    const refused = createMonitor(deps, { ...base, slug: 'x', ...input });
    await t.rejects(refused, { name: 'ServiceError', message }, message);
  }
  t.same(await sql`select slug from monitors`, [{ slug: 'taken' }]);
});

t.test('a mark that turns the direction of text ends with the name', async (t) => {
  const { monitor } = await createMonitor(deps, { ...base, slug: 'turned', name: 'left \u202e to right' });
  t.equal(monitor.name, 'left \u202e to right\u202c');
  const nested = await changeMonitor(deps, { id: monitor.id }, { name: 'a \u2067b \u202dc\u202c d' });
  t.equal(nested.name, 'a \u2067b \u202dc\u202c d\u2069');
  await t.rejects(changeMonitor(deps, { id: monitor.id }, { name: 'two\nlines' }), { name: 'ServiceError' });
  await deleteMonitor(deps, { id: monitor.id });
});

t.test('expected statuses and TCP addresses are parsed', async (t) => {
  t.same(parseStatusRanges('200-299, 404'), [
    [200, 299],
    [404, 404],
  ]);
  for (const text of ['', '200,', '99', '600', '299-200', '200-', 'ok'])
    t.equal(parseStatusRanges(text), undefined);
  t.same(parseTcpUrl('tcp://db.example.com:5432'), { host: 'db.example.com', port: 5432 });
  t.same(parseTcpUrl('tcp://[::1]:1'), { host: '::1', port: 1 });
  for (const text of [
    'tcp://a',
    'tcp://a:0',
    'tcp://a:65536',
    'tcp://u@a:1',
    'tcp://a:1/',
    'http://a:1',
    'tcp://::1:1',
  ])
    t.equal(parseTcpUrl(text), undefined, text);
});

t.test('pauses of a page and of its monitors are recorded', async (t) => {
  const { id } = await createMonitor(deps, { ...base, slug: 'mine' });
  const { id: other } = await createMonitor(deps, { ...base, slug: 'other' });
  const dueAt = async (one: MonitorId) => (await loadMonitor(deps, { id: one })).nextDueAt;
  const setPaused = (monitoringPaused: boolean) => setPage(deps, { slug: 'acme', monitoringPaused });
  for (let i = 0; i < 2; i += 1) await pauseMonitor(deps, { id });
  t.match(await readPauses(id), [{ open: true }]);
  for (let i = 0; i < 2; i += 1) await setPaused(true);
  t.match(await readPauses(null), [{ open: true }]);
  t.equal(await dueAt(other), null);
  await resumeMonitor(deps, { id });
  t.match(await readPauses(id), [{ open: false }]);
  t.equal(await dueAt(id), null, 'the page is still paused');
  const { id: late } = await createMonitor(deps, { ...base, slug: 'late' });
  await changeMonitor(deps, { id: late }, { everySeconds: 30 });
  t.equal(await dueAt(late), null, 'a monitor that is created meanwhile is paused too');
  await pauseMonitor(deps, { id });
  for (let i = 0; i < 2; i += 1) await setPaused(false);
  t.match(await readPauses(null), [{ open: false }]);
  t.equal(await dueAt(id), null, 'the monitor itself is paused again');
  for (const one of [other, late]) t.ok(await dueAt(one));
  await setPaused(true);
  await setPaused(false);
  t.match(await readPauses(null), [{ open: false }, { open: false }], 'each pause has its own row');
});

t.test('a change during a check takes its claim away', async (t) => {
  const { id } = await createMonitor(deps, { ...base, slug: 'busy' });
  await sql`update monitors set next_due_at = null where id <> ${id}`;
  await sql`update monitors set next_due_at = now() - interval '1 second' where id = ${id}`;
  const claim = () => claimChecks(deps, { room: 10, fullPages: [] });
  const before = await claim();
  t.match(before, [{ monitorId: id }]);
  t.same(await claim(), []);
  await changeMonitor(deps, { id }, { url: 'https://example.org' });
  t.same(
    await claimChecks(deps, { room: 10, fullPages: [page.id] }),
    [],
    'a page with enough checks is skipped',
  );
  const after = await claim();
  t.match(after, [{ monitorId: id, url: 'https://example.org/' }]);

  const move = (checks: ClaimedCheck[]) =>
    moveSchedule(
      deps,
      checks.map((check) => finishCheck(check, Date.now(), passed)),
    );
  await move(before);
  t.match(
    await loadMonitor(deps, { id }),
    { state: null, lastCheckedAt: null },
    'the result of the old check changes nothing',
  );
  await move(after);
  t.match(await loadMonitor(deps, { id }), { state: 'up', lastCheckedAt: Date });
});

t.test('a page has at most 1,000 monitors, also when several are created at once', async (t) => {
  const full = await makePage(sql, { slug: 'full' });
  const rows = Array.from({ length: monitorLimits.monitorsPerPage - 1 }, (_, i) => ({
    ...{
      id: newId<MonitorId>(Date.now()),
      page_id: full.id,
      slug: `m${i}`,
      name: 'M',
      created_at: new Date(),
    },
    url: 'https://example.com/',
  }));
  for (let i = 0; i < rows.length; i += 500) await sql`insert into monitors ${sql(rows.slice(i, i + 500))}`;
  const made = await Promise.allSettled(
    ['a', 'b', 'c'].map((slug) => createMonitor(deps, { ...base, pageId: full.id, slug })),
  );
  t.equal(made.filter(({ status }) => status === 'fulfilled').length, 1);
  await t.rejects(createMonitor(deps, { ...base, pageId: full.id, slug: 'd' }), {
    message: 'The page has 1000 monitors, which is the most; delete one first.',
  });
});

import t from 'tap';
import { environmentFor } from '../support/cli-environment.js';
import { makePage } from '../support/pages.js';
import { startProbeTarget } from '../support/probe-target.js';
import { runInProcess } from '../support/run-heartline.js';
import { openTestPostgres } from '../support/stores.js';

const postgres = await openTestPostgres(t);
const { sql } = postgres;
// ClickHouse is unavailable: monitors are kept in PostgreSQL.
const env = { ...environmentFor(postgres), HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'on' };
const page = await makePage(sql, { slug: 'acme', languages: ['en', 'fr'] });
const target = await startProbeTarget(t);

const run = (...args: string[]) => runInProcess(['monitor', ...args], env);
const runJson = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args, '--json');
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};
const create = (slug: string, type: string, ...args: string[]) =>
  runJson('create', '--page', 'acme', '--slug', slug, '--name', slug, '--type', type, ...args);
const api = ['--page', 'acme', '--slug', 'api'] as const;

t.test(
  'an http monitor is created, shown, changed, paused, resumed and deleted; its secrets are never shown',
  async (t) => {
    t.match((await run('list', '--page', 'acme')).stdout, /^acme has no monitor yet/);
    const secret = ['--header', 'Authorization: Bearer hush', '--header', 'x-b: hush', '--body', 'hush'];
    const rest = '--method POST --expect-status 200-299,404 --expect-body well --name-in fr=Nom'.split(' ');
    const before = Date.now();
    const { id } = await create(
      'api',
      'http',
      '--url',
      `${target.url}/ok`,
      '--every',
      '120',
      ...secret,
      ...rest,
    );
    const outputs: string[] = [];
    const note = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(...args);
      outputs.push(stdout, stderr);
      t.equal(code, 0, stderr);
      return stdout;
    };
    const shown = await runJson('show', id);
    t.match(shown, {
      ...{ id, slug: 'api', name: 'api', names: { fr: 'Nom' }, type: 'http', url: `${target.url}/ok` },
      ...{
        everySeconds: 120,
        timeoutMs: 10_000,
        failuresToDown: 2,
        method: 'POST',
        expectStatus: '200-299,404',
      },
      ...{ expectBody: 'well', tlsExpiryDays: null, hasSecrets: true, pausedAt: null, state: null },
    });
    const dueAt = Date.parse(shown.nextDueAt);
    t.ok(dueAt >= before && dueAt <= Date.now() + 60_000, 'its first check is due within a minute');
    t.match(await note('show', ...api), /headers and body +some, not shown\n/);
    t.match(await note('list', '--page', 'acme'), /^SLUG +TYPE +STATE.*\napi +http +not known yet +never/);

    t.match(
      await note('check', ...api),
      /^outcome +ok\nstatus +200\nDNS +-\nconnect +\d.*ms\nTLS +-\nfirst byte/,
    );
    t.match(target.received, [
      { method: 'POST', headers: { authorization: 'Bearer hush', 'x-b': 'hush' }, body: 'hush' },
    ]);
    t.equal(
      (await sql`select last_checked_at from monitors`)[0]?.['last_checked_at'],
      null,
      'the check is not stored',
    );

    await note('set', ...api, '--every', '30', '--expect-body', '', '--name-in', 'fr=', '--no-headers');
    const changed = await runJson('show', ...api);
    t.match(changed, { everySeconds: 30, expectBody: null, names: {}, method: 'POST', hasSecrets: true });
    t.match(await runJson('check', id), { ok: true, error: null, status: 200, tlsMs: null });
    t.match(target.received[1], { body: 'hush', headers: { authorization: undefined } }, 'the body stays');
    t.match(await runJson('set', id, '--body', ''), { hasSecrets: false });

    t.equal(await note('pause', ...api), 'api is paused.\n');
    t.match(await runJson('pause', id), { pausedAt: /Z$/, nextDueAt: null });
    t.equal(await note('resume', id), 'api is no longer paused.\n');
    t.match(await runJson('resume', id), { pausedAt: null, nextDueAt: /Z$/ });
    const pauses = await sql`select page_id, monitor_id, to_at >= from_at as over from pauses`;
    t.same([...pauses], [{ page_id: page.id, monitor_id: id, over: true }]);
    t.equal(await note('delete', id), 'api is deleted.\n');
    t.same([...(await sql`select id from monitors`)], []);
    t.notMatch(outputs.join(), /hush/);
    t.notMatch(JSON.stringify([shown, changed]), /hush/);
  },
);

t.test('tcp and heartbeat monitors', async (t) => {
  const { id } = await create('db', 'tcp', '--url', `tcp://127.0.0.1:${target.port}`);
  t.match(await runJson('check', id), { ok: true, connectMs: Number, totalMs: Number });
  const strict = { ...env, HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'off' };
  t.match(
    (await runInProcess(['monitor', 'check', id], strict)).stdout,
    /^outcome +not observed, blocked\nreason +The host/,
  );

  const args = '--page acme --slug job --name Job --type heartbeat --period 3600'.split(' ');
  const { stdout } = await run('create', ...args);
  t.match(
    stdout,
    /^(http:\/\/127\.0\.0\.1:8080\/ping\/ping_[0-9A-Za-z]{43})\n\nThis is the monitor job of acme, \S+\. The job must call this address, which is not shown again:\n {2}curl -fsS \1\n$/,
  );
  const [, token = ''] = /\/(ping_\w+)/.exec(stdout) ?? [];
  const shown = await run('show', '--page', 'acme', '--slug', 'job');
  t.match(shown.stdout, /period +3600 s, and 60 s of grace\nlast ping +never\n/);
  t.notMatch(shown.stdout + (await run('list', '--page', 'acme', '--json')).stdout, token);
  const job = ['--page', 'acme', '--slug', 'job'];
  t.match(
    (await run('list', '--page', 'acme')).stdout,
    /\njob +heartbeat +waiting for the first call +never/,
  );
  t.match(await run('check', ...job), { code: 1, stderr: /is a heartbeat: it waits for calls/ });

  await sql`
    update monitors set unobserved_since = '2026-01-31T10:00:00Z', last_error = 'blocked: Not public.' where id = ${id}`;
  t.match(
    (await run('list', '--page', 'acme')).stdout,
    /\ndb +tcp +not known yet, not observed \(blocked\) /,
  );
  t.match(
    (await run('show', id)).stdout,
    /last error +blocked: Not public\.\nnot observed since +2026-01-31T10/,
  );
  t.match(await runJson('show', id), { unobservedSince: '2026-01-31T10:00:00.000Z' });
});

t.test('a refusal is one sentence', async (t) => {
  const make = ['create', '--page', 'acme', '--slug', 'x', '--name', 'X', '--type', 'http'];
  const refusals: [string[], number, string][] = [
    [['show', 'x'], 1, 'There is no monitor with the id "x".'],
    [
      ['pause', '--page', 'acme', '--slug', 'none'],
      1,
      'The page "acme" has no monitor with the slug "none".',
    ],
    [make, 2, 'A monitor of type http needs --url URL, https://…, http://… or tcp://HOST:PORT.'],
    [[...make, '--header', 'hush'], 2, "--header must be like 'Name: value'."],
    [['set', 'x'], 2, 'There is nothing to change; name what to change, such as --every SECONDS.'],
  ];
  for (const [args, code, sentence] of refusals) {
    const refused = await run(...args);
    t.match(refused, { code, stdout: '' });
    t.equal(refused.stderr.split('\n')[0], `heartline: ${sentence}`);
  }
});

t.test('a URL that is blocked is named at once, with what allows it', async (t) => {
  const strict = { ...env, HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'off' };
  const create = (slug: string, type: string, url: string, ...args: string[]) =>
    runInProcess(
      ['monitor', 'create', '--page', 'acme', '--slug', slug, '--name', slug].concat(
        ['--type', type, '--url', url],
        args,
      ),
      strict,
    );
  const sentence = (host: string) =>
    `The monitor cannot be checked: ${host} is not, or does not lead to, a public address. To check it, allow private addresses under Installation in the dashboard, or with HEARTLINE_ALLOW_PRIVATE_ADDRESSES=on. Until then nothing of it is observed.`;
  const cases: [type: string, url: string, host: string][] = [
    ['http', 'http://127.0.0.1:9/', '127.0.0.1'],
    ['http', 'https://[::1]/', '::1'],
    ['http', 'http://localhost:3000/', 'localhost'],
    ['tcp', 'tcp://10.1.2.3:5432', '10.1.2.3'],
  ];
  for (const [at, [type, url, host]] of cases.entries()) {
    const { code, stdout, stderr } = await create(`blocked-${at}`, type, url);
    t.equal(code, 0, 'it is created all the same');
    t.match(stdout, /^This is the monitor blocked-/);
    t.equal(stderr, `${sentence(host)}\n`, url);
  }
  const metadata = await create('metadata', 'tcp', 'tcp://169.254.169.254:80');
  t.match(metadata.stderr, /^The monitor cannot be checked\. .* metadata service of a cloud/);
  const { stdout } = await create('blocked-json', 'tcp', 'tcp://10.1.2.3:5432', '--json');
  t.match(JSON.parse(stdout), { warning: sentence('10.1.2.3') });
  const fine = ['monitor', 'set', '--page', 'acme', '--slug', 'blocked-0', '--name', 'Fine'];
  t.equal((await runInProcess(fine, strict)).stderr, '', 'nothing about the URL changes');
  const moved = await runInProcess([...fine, '--url', 'http://192.168.0.1/'], strict);
  t.equal(moved.stderr, `${sentence('192.168.0.1')}\n`);
  t.equal((await runInProcess([...fine, '--url', 'http://192.168.0.1/'], env)).stderr, '', 'it is allowed');
  t.equal((await create('public', 'http', 'http://192.0.2.1.nip.invalid/')).stderr, '', 'no such name');
});

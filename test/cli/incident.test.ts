import t from 'tap';
import { environmentFor } from '../support/cli-environment.js';
import { makeMonitors } from '../support/incidents.js';
import { makePage } from '../support/pages.js';
import { runInProcess } from '../support/run-heartline.js';
import { openTestPostgres } from '../support/stores.js';

const postgres = await openTestPostgres(t);
// ClickHouse is unavailable: an incident can be opened without it.
const env = environmentFor(postgres);
const page = await makePage(postgres.sql);
await makeMonitors(postgres.sql, page.id, ['api']);
const texts = ['--title', 'Database outage', '--summary', 'Connections time out.'];

async function json(args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runInProcess([...args, '--json'], env);
  t.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

t.test('an incident is opened, updated, resolved and listed, and each step is announced', async (t) => {
  const opened = await json(['incident', 'create', '--page', 'acme', ...texts, '--monitor', 'api']);
  t.match(opened, { type: 'incident', title: 'Database outage', monitorSlugs: ['api'], resolvedAt: null });
  const id = String(opened['id']);
  const update = await json(['incident', 'update', id, '--status', 'identified', '--body', 'A full disk.']);
  t.match(update, { incidentId: id, status: 'identified', resolvedIncident: false, notify: true });
  t.match(await json(['incident', 'list', '--page', 'acme', '--open']), { incidents: [{ id }] });
  t.match(await json(['incident', 'resolve', id, '--at', '2199-01-01T00:00:00Z']), {
    resolvedAt: '2199-01-01T00:00:00.000Z',
  });
  t.match(await json(['incident', 'list', '--page', 'acme', '--open']), { incidents: [] });
  const kinds = await postgres.sql<{ kind: string }[]>`select kind from announcements order by seq`;
  t.strictSame(
    kinds.map(({ kind }) => kind),
    ['incident.created', 'incident.update_posted', 'incident.resolved'],
  );
  const table = await runInProcess(['incident', 'list', '--page', 'acme'], env);
  t.match(
    table.stdout,
    /^ID +TYPE +STARTED +PLANNED END +RESOLVED +TITLE\n\S+ +incident +20\S+ +2199\S+ +Database outage\n$/,
  );
});

t.test('the texts of a tenant cannot rewrite the terminal', async (t) => {
  const opened = await json(['incident', 'create', '--page', 'acme', ...texts]);
  const title = 'Fine\u001b[2J\u009b2J\r\u007f!';
  await postgres.sql`update incidents set title = ${title} where id = ${String(opened['id'])}`;
  const table = await runInProcess(['incident', 'list', '--page', 'acme', '--open'], env);
  t.match(table.stdout, /Fine \[2J 2J {2}!\n/);
  const asJson = await runInProcess(['incident', 'list', '--page', 'acme', '--open', '--json'], env);
  t.notMatch(asJson.stdout, /[^\P{Cc}\n]/u);
  t.match(JSON.parse(asJson.stdout), { incidents: [{ title }] });
  await json(['incident', 'resolve', String(opened['id'])]);
  const unknown = await runInProcess(['incident', 'list', '--page', 'a\u001b[2Jb'], env);
  t.notMatch(unknown.stderr, /[^\P{Cc}\n]/u);
});

t.test('maintenance is scheduled, and --quiet announces nothing', async (t) => {
  const times = ['--started-at', '2199-01-01T00:00:00Z', '--scheduled-end-at', '2199-01-01T01:00:00Z'];
  const { stdout } = await runInProcess(
    ['incident', 'create', '--page', 'acme', ...texts, '--type', 'maintenance', ...times, '--quiet'],
    env,
  );
  t.match(stdout, /^type +maintenance$/m);
  t.match(stdout, /^planned end +2199-01-01T01:00:00.000Z$/m);
  t.match(await json(['incident', 'list', '--page', 'acme']), {
    incidents: [{ scheduledEndAt: '2199-01-01T01:00:00.000Z' }, { scheduledEndAt: null }],
  });
  const table = await runInProcess(['incident', 'list', '--page', 'acme'], env);
  t.match(
    table.stdout,
    /^ID +TYPE +STARTED +PLANNED END +RESOLVED +TITLE\n\S+ +maintenance +2199\S+ +2199\S+01:00\S+ +open/,
  );
  const id = /^id +(\S+)$/m.exec(stdout)?.[1] ?? '';
  const posted = await runInProcess(
    ['incident', 'update', id, '--status', 'resolved', '--body', 'Off.', '--quiet'],
    env,
  );
  t.equal(posted.stdout, 'Posted as resolved; the incident is resolved.\n');
  t.strictSame([...(await postgres.sql`select kind from announcements where incident_id = ${id}`)], []);
});

t.test('a refusal is one sentence and exit code 1', async (t) => {
  const refusals: [string[], string][] = [
    [
      ['incident', 'list', '--page', 'none'],
      'There is no page with the slug "none".\nList the pages with: npx heartline page list',
    ],
    [
      ['incident', 'create', '--page', 'none', ...texts],
      'There is no page with the slug "none".\nList the pages with: npx heartline page list',
    ],
    [
      ['incident', 'resolve', 'x'],
      'There is no incident with the id "x".\nList the incidents of a page with: npx heartline incident list',
    ],
    [
      ['incident', 'update', 'x', '--body', 'Text.'],
      'There is no incident with the id "x".\nList the incidents of a page with: npx heartline incident list',
    ],
  ];
  for (const [args, sentence] of refusals) {
    t.same(await runInProcess(args, env), { code: 1, stdout: '', stderr: `heartline: ${sentence}\n` });
  }
});

t.test('a wrong option is refused by its name with exit code 2, and nothing is opened', async (t) => {
  const create = ['incident', 'create', '--page', 'acme', ...texts];
  const before = await json(['incident', 'list', '--page', 'acme']);
  const refusals: [string[], string | RegExp][] = [
    [
      [...create, '--started-at', 'soon'],
      '--started-at must be a time such as 2026-01-31T23:00:00Z, not "soon".',
    ],
    [
      [...create, '--resolved-at', '2001-01-01T00:00:00Z'],
      /^--resolved-at must not be before --started-at, which is 20\S+Z\.$/,
    ],
    [
      ['incident', 'create', '--page', 'acme', '--title', ' ', '--summary', 'S.'],
      /--title must be one line of text, not blank/,
    ],
    [[...create, '--type', 'outage'], '--type must be incident or maintenance, not "outage".'],
    [
      [...create, '--monitor', 'api', '--monitor', 'apii', '--monitor', 'database'],
      'acme has no monitor "apii" (did you mean api?) or "database". List its monitors with: npx heartline monitor list --page acme',
    ],
    [
      ['incident', 'update', 'x', '--body', 'Text.', '--status', 'fixed'],
      /^--status must be investigating, .* not "fixed"\.$/,
    ],
  ];
  for (const [args, sentence] of refusals) {
    const { code, stdout, stderr } = await runInProcess(args, env);
    t.same({ code, stdout }, { code: 2, stdout: '' }, args.join(' '));
    t.match(stderr.split('\n')[0]?.replace('heartline: ', ''), sentence);
  }
  t.strictSame(await json(['incident', 'list', '--page', 'acme']), before);
});

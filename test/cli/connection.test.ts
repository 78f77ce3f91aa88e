import t from 'tap';
import { createConnection, deleteConnection } from '../../control/connections/index.js';
import { loadPageId } from '../../control/pages/index.js';
import { systemClock } from '../../lib/clock.js';
import { testActor } from '../support/actor.js';
import { environmentFor } from '../support/cli-environment.js';
import { makePage } from '../support/pages.js';
import { runInProcess } from '../support/run-heartline.js';
import { openTestPostgres } from '../support/stores.js';

const postgres = await openTestPostgres(t);
const { sql } = postgres;
const env = environmentFor(postgres);
await makePage(sql);
await makePage(sql, { slug: 'other' });

const run = (...args: string[]) => runInProcess(['connection', ...args], env);

async function runJson(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '--json');
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

t.test('a connection is created, listed and deleted', async (t) => {
  t.match((await run('list', '--page', 'acme')).stdout, /^acme has no connection yet/);
  const create = ['create', '--page', 'acme', '--engine', 'postgresql', '--name'];
  const { code, stdout } = await run(...create, ' main ');
  t.equal(code, 0);
  const [, id = ''] = /^([0-9a-f-]{36})\n$/.exec(stdout) ?? [];
  const main = { id, engine: 'postgresql', name: 'main', createdAt: /^20\S+Z$/ };
  const replica = await runJson('create', '--page', 'acme', '--engine', 'mysql', '--name', 'eu-west/replica');
  t.match(replica, {
    id: /^[0-9a-f-]{36}$/,
    engine: 'mysql',
    name: 'eu-west/replica',
    createdAt: /^20\S+Z$/,
  });
  await run('create', '--page', 'other', '--engine', 'mongodb', '--name', 'main');

  t.match(await runJson('list', '--page', 'acme'), { connections: [main, replica] });
  const table = (await run('list', '--page', 'acme')).stdout.split('\n');
  t.match(table[0], /^ID +ENGINE +CREATED +NAME$/);
  t.match(table[1], new RegExp(`^${id}  postgresql  20\\S+Z  main$`));

  t.match(await runJson('delete', id), main);
  t.same(await run('delete', replica.id), { code: 0, stdout: 'eu-west/replica is deleted.\n', stderr: '' });
  t.same(await runJson('list', '--page', 'acme'), { connections: [] });
  t.match(await runJson('list', '--page', 'other'), { connections: [{ engine: 'mongodb', name: 'main' }] });
});

t.test('a refusal is one sentence that repeats no secret', async (t) => {
  const deps = { sql, clock: systemClock, by: testActor };
  const none = '01890000-0000-7000-8000-000000000000';
  const input = { pageId: await loadPageId(sql, 'other'), engine: 'mysql', name: 'spare' } as const;
  await createConnection(deps, input);
  const taken = 'The page "other" has a connection named "spare" already.';
  await t.rejects(createConnection(deps, { ...input, engine: 'mongodb' }), {
    kind: 'conflict',
    message: taken,
  });
  await t.rejects(deleteConnection(deps, { id: none }), {
    kind: 'notFound',
    message: `There is no connection with the id "${none}".`,
  });
  const create = (...args: string[]) => ['create', '--page', 'acme', ...args];
  const refusals: [number, string[], RegExp][] = [
    [
      1,
      ['create', '--page', 'none', '--engine', 'mysql', '--name', 'x'],
      /^heartline: There is no page with the slug/,
    ],
    [
      1,
      create('--engine', 'mysql', '--name', 'mysql://me:hunter2@db'),
      /^heartline: The name looks like a secret; /,
    ],
    [1, create('--engine', 'mysql', '--name', ' '), /^heartline: --name must be one line of text, not blank/],
    [1, ['list', '--page', 'none'], /^heartline: There is no page with the slug "none"\.\nList the pages/],
    [1, ['delete', 'x'], /^heartline: There is no connection with the id "x"\.\n$/],
    [2, create('--name', 'x'), /--engine mongodb\|postgresql\|mysql is missing\./],
    [
      2,
      create('--engine', 'oracle', '--name', 'x'),
      /--engine must be mongodb, postgresql or mysql, not "oracle"\./,
    ],
    [2, ['delete'], /ID is missing; write: npx heartline connection delete ID/],
  ];
  for (const [code, args, sentence] of refusals) {
    const refused = await run(...args);
    t.match(refused, { code, stdout: '', stderr: sentence }, args.join(' '));
    t.notMatch(refused.stderr, 'hunter2');
  }
});

t.test('a page has at most 200 connections, also when they are created at the same time', async (t) => {
  const deps = { sql, clock: systemClock };
  const { id: pageId } = await makePage(sql, { slug: 'full' });
  const made = await Promise.allSettled(
    Array.from({ length: 203 }, (_, i) =>
      createConnection({ ...deps, by: testActor }, { pageId, engine: 'mysql', name: `db ${i}` }),
    ),
  );
  const refused = made.filter((outcome) => outcome.status === 'rejected');
  t.equal(refused.length, 3);
  t.match(refused[0]?.reason, {
    message: 'The page has 200 connections, which is the most; delete one first.',
  });
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openBothWays } from '../support/cli-both.js';

const { local, remote, same } = await openBothWays(t);
const page = ['--page', 'acme'];
const folder = t.testdir();
const file = join(folder, 'postmortem.md');
const german = join(folder, 'postmortem.de.md');
const text = '## What happened\n\nA disk was full, and nothing watched it.';
await writeFile(file, `${text}\n\n`);
await writeFile(german, 'Eine Platte war voll.\n');
await local('page', 'set', 'acme', '--languages', 'en,de');

const opened = ['incident', 'create', ...page, '--title', 'Slow logins', '--summary', 'They take long.'];
const { id } = JSON.parse((await local(...opened, '--json')).stdout);

t.test('while the incident is open there is none', async (t) => {
  for (const run of [local, remote]) {
    const published = await run('postmortem', 'publish', id, ...page, '--file', file);
    t.match(published, { code: 1, stderr: /not over; resolve it first/ });
    t.match(await run('postmortem', 'show', id, ...page), { code: 1, stderr: /./ });
  }
  t.match(await local('incident', 'resolve', id), { code: 0 });
});

t.test('it is published, replaced, printed and deleted, here and over HTTP', async (t) => {
  const publish = ['postmortem', 'publish', id, ...page, '--file'];
  t.match(await remote(...publish, file), { code: 0, stdout: `The postmortem of ${id} is published.\n` });
  t.equal((await same(t, 'postmortem', 'show', id, ...page)).stdout, `${text}\n`);
  t.match(await local(...publish, file, '--translation', `de=${german}`), { code: 0 });
  const shown = await same(t, 'postmortem', 'show', id, ...page, '--json');
  t.match(JSON.parse(shown.stdout), {
    body: text,
    texts: { de: { text: 'Eine Platte war voll.', translated: 'person' } },
  });
  t.match(await remote('postmortem', 'delete', id, ...page), {
    code: 0,
    stdout: `The postmortem of ${id} is deleted.\n`,
  });
  for (const run of [local, remote]) {
    t.match(await run('postmortem', 'delete', id, ...page), { code: 1, stderr: /./ });
    t.match(await run('postmortem', 'show', id, ...page), { code: 1, stderr: /./ });
  }
  t.match(await local(...publish, file), { code: 0 });
  t.match(await local('postmortem', 'delete', id, '--json'), { code: 0, stdout: /"deleted": ?"/ });
});

t.test('what is wrong is said, and nothing is published', async (t) => {
  const publish = ['postmortem', 'publish', id, ...page];
  t.match(await local(...publish), { code: 2, stderr: /--file/ });
  t.match(await local(...publish, '--file', join(folder, 'none.md')), {
    code: 2,
    stderr: /--file: \S+none\.md cannot be read: there is no such file/,
  });
  t.match(await local(...publish, '--file', folder), { code: 2, stderr: /cannot be read/ });
  t.match(await local(...publish, '--file', file, '--translation', german), {
    code: 2,
    stderr: /must be a language, "=" and a file/,
  });
  const french = ['--translation', `fr=${german}`];
  for (const run of [local, remote]) {
    t.match(await run(...publish, '--file', file, ...french), {
      code: 2,
      stderr: /--translation must have languages of the page .*those are de/,
    });
  }
  const empty = join(folder, 'empty.md');
  await writeFile(empty, '\n');
  const long = join(folder, 'long.md');
  await writeFile(long, 'x'.repeat(40_001));
  for (const run of [local, remote]) {
    t.match(await run(...publish, '--file', empty), { code: 2, stderr: /--file/ });
    t.match(await run(...publish, '--file', long), {
      code: 2,
      stderr: /--file must have at most 40000 characters; it has 40001/,
    });
    t.match(await run('postmortem', 'show', 'none', ...page), { code: 1, stderr: /./ });
    t.match(await run('postmortem', 'show', id, ...page), { code: 1, stderr: /./ });
  }
});

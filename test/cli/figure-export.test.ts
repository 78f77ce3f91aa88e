import { execFileSync } from 'node:child_process';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { startBucket } from '../support/bucket.js';
import { openBothWays } from '../support/cli-both.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const { local, remote, withoutSecrets, same } = await openBothWays(t);
const bucket = await startBucket(t);
const { endpoint, region, accessKeyId, secretAccessKey } = bucket.settings;
const page = ['--page', 'acme'];
const secretFile = join(await temporaryFolder(t), 'secret');
await writeFile(secretFile, `${secretAccessKey}\n`);
const place = ['--endpoint', endpoint, '--region', region, '--bucket', bucket.settings.bucket];
const key = ['--access-key-id', accessKeyId, '--secret-file', secretFile];

t.test('without an export', async (t) => {
  await same(t, 'figure-export', 'show', ...page);
  t.match(await local('figure-export', 'test', ...page), { code: 1, stderr: /does not export its figures/ });
  t.match(await local('figure-export', 'set', ...page), { code: 2, stderr: /nothing to change/ });
  t.match(await local('figure-export', 'set', ...page, '--enabled', 'off'), {
    code: 2,
    stderr: /--endpoint URL, .* are missing/,
  });
  t.match(await local('figure-export', 'set', '--page', 'none', ...place, ...key), { code: 1 });
});

t.test('a change that somebody else makes meanwhile is not undone', async (t) => {
  for (const [way, run] of Object.entries({ local, remote })) {
    const pipe = join(await temporaryFolder(t), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const secret = ['--secret-file', pipe];
    const give = async () => {
      const file = await open(pipe, 'w');
      return async () => {
        await file.writeFile(secretAccessKey);
        await file.close();
      };
    };
    const first = run('figure-export', 'set', ...page, ...place, '--access-key-id', 'late', ...secret);
    // The pipe opens when the command reads it, which it does after it has read the settings.
    const giveFirst = await give();
    t.match(await local('figure-export', 'set', ...page, ...place, ...key), { code: 0 }, way);
    await giveFirst();
    t.match(
      await first,
      { code: 1, stderr: /has changed since it was read/ },
      `${way}: where there was none`,
    );
    const second = run('figure-export', 'set', ...page, '--format', 'csv', ...secret);
    const giveSecond = await give();
    t.match(await local('figure-export', 'set', ...page, '--table', 'checks'), { code: 0 });
    await giveSecond();
    t.match(
      await second,
      { code: 1, stderr: /has changed since it was read/ },
      `${way}: where there was one`,
    );
    const { stdout } = await local('figure-export', 'show', ...page);
    t.match(stdout, /tables +checks as parquet\n/);
    await local('figure-export', 'delete', ...page);
  }
});

t.test('an export is set, tried, changed and deleted, both ways', async (t) => {
  const set = await remote('figure-export', 'set', ...page, ...place, ...key);
  t.match(set, { code: 0, stderr: '', stdout: /^bucket +figures at http.*\nprefix +acme\n/ });
  await same(t, 'figure-export', 'show', ...page);
  const shown = await same(t, 'figure-export', 'show', ...page, '--json');
  t.match(JSON.parse(shown.stdout), { tables: ['requests_hour'], format: 'parquet', hasSecret: true });
  for (const run of [local, remote]) {
    t.match(await run('figure-export', 'test', ...page), {
      code: 0,
      stdout: 'The bucket has taken an object.\n',
    });
  }
  t.same(bucket.puts, ['acme/heartline-test.txt', 'acme/heartline-test.txt']);
  const tables = ['--table', 'checks', '--table', 'requests_minute', '--format', 'csv'];
  const changed = await local('figure-export', 'set', ...page, ...tables, '--enabled', 'off', '--prefix', '');
  t.match(changed.stdout, /prefix +none\n.*\ntables +requests_minute, checks as csv\nenabled +off\n/);
  t.match(await withoutSecrets('figure-export', 'set', ...page, '--enabled', 'on'), { code: 1 });
  bucket.answer = () => ({ status: 403, body: '<Code>AccessDenied</Code><Message>Access Denied</Message>' });
  t.match(await remote('figure-export', 'test', ...page), {
    code: 1,
    stderr: /403 \(AccessDenied\): Access Denied/,
  });
  t.match(await remote('figure-export', 'delete', ...page), {
    code: 0,
    stdout: 'acme exports no more figures.\n',
  });
  t.match(await local('figure-export', 'show', ...page), { code: 1 });
  for (const { stdout, stderr } of [set, shown, changed])
    t.notOk(`${stdout}${stderr}`.includes(secretAccessKey));
});

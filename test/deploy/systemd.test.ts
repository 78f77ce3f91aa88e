import { execFile } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { parseConfig } from '../../service/config.js';

const run = promisify(execFile);
const root = new URL('../../../', import.meta.url);
const folder = new URL('deploy/systemd/', root);
const read = (name: string) => readFile(new URL(name, folder), 'utf8');
const unit = await read('heartline.service');
const backup = await read('heartline-backup.service');

/** The values of a setting of a unit, in their order. */
function valuesOf(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

t.test('systemd accepts the units', async (t) => {
  const hasSystemd = await run('systemd-analyze', ['--version']).then(
    () => true,
    () => false,
  );
  if (!hasSystemd) {
    t.pass('this machine has no systemd');
    return;
  }
  const copies = t.testdir();
  const names = (await readdir(folder)).filter((name) => /\.(?:service|timer)$/.test(name));
  t.equal(names.length, 3);
  for (const name of names)
    await writeFile(join(copies, name), (await read(name)).replaceAll('/usr/bin/node', process.execPath));
  const { stdout, stderr } = await run('systemd-analyze', [
    'verify',
    ...names.map((name) => join(copies, name)),
  ]);
  t.equal(stdout + stderr, '');
});

t.test('service, backup and commands run the same code as the same user on the same folder', async (t) => {
  const command = await read('heartline');
  const program = /\/usr\/bin\/node (?:--\S+ )*\/opt\/heartline\/dist\/cli\/main\.js /;
  const dataDir = 'HEARTLINE_DATA_DIR=/var/lib/heartline';
  for (const text of [unit, backup]) {
    t.strictSame(valuesOf(text, 'User'), ['heartline']);
    t.strictSame(valuesOf(text, 'EnvironmentFile'), ['/etc/heartline/heartline.env']);
    t.strictSame(valuesOf(text, 'StateDirectory'), ['heartline']);
    t.match(valuesOf(text, 'Environment')[0], dataDir);
    t.match(valuesOf(text, 'ExecStart')[0], program);
  }
  t.match(command, program);
  t.match(command, `runuser -u heartline -- env ${dataDir} `);
  t.equal((await stat(new URL('heartline', folder))).mode & 0o111, 0o111);
  await stat(new URL('dist/cli/main.js', root));
});

t.test('the unit permits what the embedded stores need, and no capability', (t) => {
  t.strictSame(valuesOf(unit, 'CapabilityBoundingSet'), ['']);
  t.strictSame(valuesOf(unit, 'ProtectSystem'), ['strict']);
  t.strictSame(valuesOf(unit, 'NoNewPrivileges'), ['true']);
  for (const call of ['landlock_create_ruleset', 'landlock_add_rule', 'landlock_restrict_self'])
    t.match(valuesOf(unit, 'SystemCallFilter')[0], call);
  t.strictSame([...valuesOf(unit, 'MemoryDenyWriteExecute'), ...valuesOf(unit, 'ProcSubset')], []);
  t.strictSame(valuesOf(unit, 'KillMode'), ['mixed'], 'the service stops its stores');
  t.strictSame(valuesOf(backup, 'ReadWritePaths'), ['/var/backups/heartline']);
  t.match(valuesOf(backup, 'ExecStart')[0], / backup "\/var\/backups\/heartline\/\$\(date /);
  t.match(valuesOf(backup, 'ExecStartPost')[0], /find \/var\/backups\/heartline -mindepth 1 -maxdepth 1 /);
  t.end();
});

t.test('the service takes every setting of the file, those behind # too', async (t) => {
  const settings = (await read('heartline.env')).matchAll(/^#?([A-Z_]+)=(.+)$/gm);
  const env = Object.fromEntries([...settings].map(([, name = '', value = '']) => [name, value]));
  t.ok(Object.keys(env).length >= 6);
  const { port, baseUrl, trustedProxies } = parseConfig(env);
  t.match(
    { port, origin: baseUrl?.origin, trustedProxies },
    {
      ...{ port: 8080, origin: 'https://status.example.com', trustedProxies: ['127.0.0.1'] },
    },
  );
});

import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { chooseAcknowledgement } from '../../service/choose-acknowledgement.js';
import { usualDataDir } from '../../service/config.js';
import { welcome } from '../../service/demo-page.js';
import { inNamespace, needsSmallDisk } from '../faults/small-disk.js';
import { captureLog } from '../support/capture-log.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const logBytesMax = 64 * 1024 ** 2;

async function choose(dataDir: string, urls: { databaseUrl?: string; clickhouseUrl?: string } = {}) {
  const { log, entries } = captureLog();
  const { eventLog, sentence } = await chooseAcknowledgement({ dataDir, logBytesMax, ...urls }, log);
  const shown = { pages: { addresses: [], more: 0 }, demo: undefined, prefix: 'heartline' };
  const printed = welcome('http://[::1]:1', { ...shown, acknowledgedFrom: sentence });
  return { eventLog, printed, warnings: entries() };
}

t.test('a data folder that can be written has the log, and the start says so', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'new', 'data');
  const dir = join(dataDir, 'log');
  for (const start of ['first', 'second']) {
    const { eventLog, printed, warnings } = await choose(dataDir);
    t.strictSame(eventLog, { dir, bytesMax: logBytesMax }, start);
    t.match(printed, `\n  events       acknowledged from the log in ${dir}: the folder can be written\n`);
    t.strictSame(warnings, []);
  }
  t.strictSame(await readdir(dir), [], 'nothing is left in it');
});

t.test('without one PostgreSQL acknowledges, and the start says why', async (t) => {
  const dataDir = await temporaryFolder(t);
  await writeFile(join(dataDir, 'file'), '');
  await writeFile(join(dataDir, 'log'), '');
  const reasons = { [join(dataDir, 'file')]: 'ENOTDIR', [dataDir]: 'EEXIST', '/dev/null': 'ENOTDIR' };
  for (const [folder, code] of Object.entries(reasons)) {
    const { eventLog, printed, warnings } = await choose(folder);
    t.equal(eventLog, undefined, folder);
    const reason = `${join(folder, 'log')} cannot be written (${code})`;
    t.match(printed, `\n  events       acknowledged from PostgreSQL: ${reason}\n`);
    const msg = `There is no log, because ${reason}; PostgreSQL acknowledges events.`;
    t.match(warnings, [{ level: 40, code, msg }], 'who has set a data folder expects the log');
  }
});

t.test('a fault that is no permission fails the start', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'x'.repeat(300));
  await t.rejects(choose(dataDir), { code: 'ENAMETOOLONG' });
});

const ownStores = { databaseUrl: 'postgres://127.0.0.1', clickhouseUrl: 'http://127.0.0.1' };

t.test('a service that needs no data folder and got none says once that it has a log', async (t) => {
  const before = process.cwd();
  process.chdir(await temporaryFolder(t));
  t.teardown(() => process.chdir(before));
  const first = await choose(usualDataDir, ownStores);
  t.ok(first.eventLog);
  t.match(first.warnings, [
    { level: 40, msg: /^Events are acknowledged from the disk of data\/log, a new folder/ },
  ]);
  t.strictSame((await choose(usualDataDir, ownStores)).warnings, []);
});

t.test('a full disk fails the start, unless the disk was for a log alone', needsSmallDisk(), async (t) => {
  const module = new URL('../../service/choose-acknowledgement.js', import.meta.url);
  const chooseThere = (config: object): string => {
    const script = `
      const { chooseAcknowledgement } = await import('${module}');
      const log = { warn: (_, text) => console.log(text) };
      await chooseAcknowledgement(${JSON.stringify({ logBytesMax, ...config })}, log)
        .then(({ sentence }) => console.log(sentence), ({ code }) => console.log(code));`;
    const mount = 'mount -t tmpfs -o nr_inodes=1 none "$0" && cd "$0" && exec "$@"';
    const node = [process.execPath, '--input-type=module', '--eval', script];
    const [program, ...args] = [...inNamespace, mount, folder, ...node];
    return spawnSync(program, args, { encoding: 'utf8' }).stdout;
  };
  const folder = await temporaryFolder(t);
  const reason = 'data/log cannot be written (ENOSPC)';
  t.equal(
    chooseThere({ dataDir: usualDataDir, ...ownStores }),
    `There is no log, because ${reason}; PostgreSQL acknowledges events.\nPostgreSQL: ${reason}\n`,
  );
  t.equal(chooseThere({ dataDir: usualDataDir, databaseUrl: ownStores.databaseUrl }), 'ENOSPC\n');
  t.equal(chooseThere({ dataDir: './given', ...ownStores }), 'ENOSPC\n');
});

const needsUser = process.getuid?.() === 0 ? { skip: 'root may write everywhere' } : {};

t.test(
  'a log that cannot be written any more keeps its events, and the start says so',
  needsUser,
  async (t) => {
    const dataDir = await temporaryFolder(t);
    const dir = join(dataDir, 'log');
    await mkdir(join(dir, '0123456789abcdef'), { recursive: true });
    await chmod(dir, 0o500);
    const { eventLog, warnings } = await choose(dataDir);
    t.equal(eventLog, undefined);
    t.match(warnings, [{ msg: /Events that it holds are delivered by a start that can write it\.$/ }]);
    await chmod(dir, 0o000);
    const unlisted = /It cannot be listed \(EACCES\); events that it may hold are delivered by/;
    t.match((await choose(dataDir)).warnings, [{ msg: unlisted }]);
    await chmod(dir, 0o700);
  },
);

import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { chooseAcknowledgement } from '../../service/choose-acknowledgement.js';
import { welcome } from '../../service/demo-page.js';
import { captureLog } from '../support/capture-log.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const logBytesMax = 64 * 1024 ** 2;

async function choose(dataDir: string) {
  const { log, entries } = captureLog();
  const { eventLog, sentence } = await chooseAcknowledgement({ dataDir, logBytesMax }, log);
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

t.test('a fault that is no permission fails the start, as a full disk does', async (t) => {
  const dataDir = await temporaryFolder(t);
  await mkdir(join(dataDir, 'log', `probe-${process.pid}`), { recursive: true });
  await t.rejects(choose(dataDir), { code: 'EISDIR' });
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
  },
);

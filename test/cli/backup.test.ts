import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Ledger } from '../../contract/incidents.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { checkAccounts } from '../faults/accounting.js';
import { eventsPerBatch, type Load, type Sent, services, startLoad, untilStored } from '../faults/load.js';
import { type Installation, install, onLinux, serveIn } from '../faults/running-service.js';
import { outage } from '../support/incidents.js';
import { requestAt } from '../support/request-at.js';
import { select } from '../support/rollups.js';
import { type HeartlineRun, runHeartline, runInProcess } from '../support/run-heartline.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';

t.test(
  'a backup is made under load, right after an outage, and a service runs on the restored stores',
  onLinux,
  async (t) => {
    const installation = await install(t);
    const folder = await temporaryFolder(t);
    const [directory, dataDir] = [join(folder, 'backup'), join(folder, 'data')];
    await openIncident(installation.service.url, installation.incidentKey);
    const load = startLoad(t, () => installation.service.url, installation.ingestKey);
    await load.untilAccepted(50);
    await bufferSome(installation, load);

    const before = new Set(accepted(load));
    const made = await heartline(installation.dataDir, ['backup', directory, '--json']);
    const during = accepted(load).length - before.size;
    await load.untilAccepted(20);
    await load.end();

    t.equal(made.code, 0, made.stderr);
    const { heldMs, secretKeyIncluded, postgres } = JSON.parse(made.stdout);
    t.ok(secretKeyIncluded);
    t.equal(
      postgres.files,
      (await countTables(installation.service.databaseUrl)) + 1,
      'a file a table, and their list',
    );
    t.ok(heldMs < 3_000, `inserts waited ${heldMs} ms`);
    t.ok(during > 0, `${during} batches were accepted while it was made`);
    t.ok(load.count(202) === load.sent.length, 'no batch was refused');
    await checkModes(t, directory);
    t.strictSame(await leftovers(installation.dataDir), [], 'the backup leaves nothing in the stores');

    await refusals(t, { directory, folder, running: installation.dataDir });
    await interrupt(dataDir);
    const refused = await runInProcess(['page', 'list'], { HEARTLINE_DATA_DIR: dataDir });
    t.match(refused, { code: 1, stderr: /did not finish; repeat it with .*npx heartline restore/ });
    t.match(await heartline(dataDir, ['restore', directory]), { code: 0, stderr: '' });

    const service = await serveIn(t, dataDir);
    t.match(
      await heartline(dataDir, ['page', 'list', '--json']),
      { code: 0, stdout: /"slug":"demo"/ },
      'the page is restored',
    );
    t.match(await readIncidents(service.url), [{ title: { en: outage.title } }], 'the incident is restored');
    t.equal(await openIncident(service.url, installation.incidentKey), 201, 'the keys work');
    await untilStored(service, installation.ingestKey);
    const counted = load.sent.map((outcome) => (before.has(outcome) ? outcome : asUnknown(outcome)));
    await checkAccounts(t, service.clickhouseUrl, counted);
    await checkTablesAgree(t, service.clickhouseUrl);

    t.match(
      await heartline(dataDir, ['backup', join(folder, 'second')]),
      { code: 0 },
      'the restored stores can be backed up',
    );
  },
);

t.test('a backup or restore that is impossible is refused with a sentence', async (t) => {
  const folder = await temporaryFolder(t);
  const env = { HEARTLINE_DATA_DIR: join(folder, 'data') };
  await mkdir(join(folder, 'empty'));
  const cases: [string[], Record<string, string>, RegExp][] = [
    [['backup', join(folder, 'new')], env, /There is nothing to back up: .*data holds no stores/],
    [['restore', join(folder, 'empty')], env, /holds no complete backup: .*Choose another folder/],
    [['restore', join(folder, 'nowhere')], env, /holds no complete backup: .*Choose another folder/],
    [
      ['backup', join(folder, 'new')],
      { ...env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
      /for the embedded stores, .* DATABASE_URL \(use pg_dump and pg_restore\); \/docs\/backup/,
    ],
    [
      ['restore', join(folder, 'empty')],
      { ...env, CLICKHOUSE_URL: 'http://127.0.0.1:1/none' },
      /for the embedded stores, .* CLICKHOUSE_URL \(use BACKUP DATABASE and RESTORE DATABASE\)/,
    ],
  ];
  for (const [args, settings, stderr] of cases) {
    t.match(await runInProcess(args, settings), { code: 1, stdout: '', stderr });
  }
  t.match(await runInProcess(['backup'], env), { code: 2, stderr: /DIR is missing/ });
  t.strictSame(await readdir(folder), ['empty'], 'nothing is created');
});

const heartline = (dataDir: string, args: string[]): Promise<HeartlineRun> =>
  runHeartline(args, { HEARTLINE_DATA_DIR: dataDir });

const accepted = (load: Load): Sent[] => load.sent.filter(({ status }) => status === 202);

/** A batch that was not acknowledged before the backup: it may be in the backup or not. */
function asUnknown({ batch, sentAt, attempts }: Sent): Sent {
  return { batch, sentAt, attempts };
}

/** Makes batches wait in PostgreSQL. They are delivered to ClickHouse while the backup is made. */
async function bufferSome({ service }: Installation, load: Load): Promise<void> {
  process.kill(await service.clickhousePid(), 'SIGSTOP');
  const suspended = await service.clickhousePid();
  const buffered = (): number => load.sent.filter((outcome) => outcome.buffered === true).length;
  await waitUntil('batches are buffered', () => buffered() > 20, 30_000);
  process.kill(suspended, 'SIGCONT');
}

/** Creates what a restore leaves behind that is killed after the first store. */
async function interrupt(dataDir: string): Promise<void> {
  await mkdir(join(dataDir, 'restoring/postgres'), { recursive: true });
  await mkdir(join(dataDir, 'clickhouse/data/store'), { recursive: true });
}

async function refusals(
  t: Test,
  { directory, folder, running }: { directory: string; folder: string; running: string },
): Promise<void> {
  const target = join(folder, 'refused');
  const restore = (env: Record<string, string> = {}): Promise<HeartlineRun> =>
    runInProcess(['restore', directory], { HEARTLINE_DATA_DIR: target, ...env });
  t.match(await runInProcess(['backup', directory], { HEARTLINE_DATA_DIR: running }), {
    code: 1,
    stderr: /is not empty/,
  });
  t.match(await restore({ HEARTLINE_DATA_DIR: running }), { code: 1, stderr: /is in use by process/ });
  t.match(await restore({ HEARTLINE_SECRET_KEY: 'another key that has thirty-two characters' }), {
    code: 1,
    stderr: /HEARTLINE_SECRET_KEY lacks a key that the secrets in the backup may be sealed with/,
  });
  await whileChanged(join(directory, 'postgres/pages.copy'), '', async () => {
    t.match(await restore(), { code: 1, stderr: /postgres\/pages.copy was changed. Nothing was restored/ });
  });
  await whileChanged(join(directory, 'files.sha256'), '', async () => {
    t.match(await restore(), { code: 1, stderr: /files.sha256 is missing or was changed/ });
  });
  const about = JSON.parse(await readFile(join(directory, 'heartline-backup.json'), 'utf8'));
  about.postgres.migrations.push({ number: 9999, name: '9999_later.sql', checksum: '' });
  await whileChanged(join(directory, 'heartline-backup.json'), JSON.stringify(about), async () => {
    t.match(await restore(), { code: 1, stderr: /newer than this version of Heartline: 9999_later.sql/ });
  });
  t.strictSame(await readdir(target), [], 'the refused restores leave nothing behind');
  await mkdir(join(target, 'clickhouse'));
  t.match(await restore(), { code: 1, stderr: /has stores already/ });
  t.strictSame(await readdir(target), ['clickhouse'], 'the existing stores stay');
}

async function countTables(databaseUrl: string): Promise<number> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  try {
    return (await sql`select from pg_tables where schemaname = 'public'`).length;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function whileChanged(path: string, text: string, work: () => Promise<void>): Promise<void> {
  const original = await readFile(path);
  await writeFile(path, text);
  await work();
  await writeFile(path, original);
}

async function checkModes(t: Test, directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const open = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const mode = (await stat(path)).mode & 0o777;
    if (mode !== (entry.isDirectory() ? 0o700 : 0o600)) open.push({ path, mode });
  }
  t.strictSame(open, [], 'no other user can read the backup');
}

/** The links that ClickHouse made and the replication slots of PostgreSQL. */
async function leftovers(dataDir: string): Promise<string[]> {
  const shadow = await readdir(join(dataDir, 'clickhouse/data/shadow'));
  const slots = await readdir(join(dataDir, 'postgres/data/pg_replslot'));
  return [...shadow.filter((name) => name !== 'increment.txt'), ...slots];
}

async function openIncident(url: string, key: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/incidents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(outage),
  });
  return answer.status;
}

async function readIncidents(url: string): Promise<Ledger['incidents']> {
  const answer = await requestAt(url, 'localhost', '/api/public/demo/incidents');
  return (answer.body as Ledger).incidents;
}

/** A block that arrived during the backup is in all tables or in none. */
async function checkTablesAgree(t: Test, clickhouseUrl: string): Promise<void> {
  const clickhouse = openClickHouse(clickhouseUrl);
  const own = `service IN ('${services.join("', '")}')`;
  const batches: Record<string, string> = {
    requests_minute: `sum(requests) / ${eventsPerBatch}`,
    requests_hour: `sum(requests) / ${eventsPerBatch}`,
    service_requests_minute: `sum(requests) / ${eventsPerBatch}`,
    service_requests_hour: `sum(requests) / ${eventsPerBatch}`,
    endpoint_requests_6h: `sum(requests) / ${eventsPerBatch}`,
    endpoint_requests_day: `sum(requests) / ${eventsPerBatch}`,
    endpoint_requests_hour: `sum(requests) / ${eventsPerBatch}`,
    reports: `sum(calls) / ${services.length}`,
  };
  const counts = new Set<number>();
  for (const [table, sum] of Object.entries(batches)) {
    const [row] = await select<{ batches: number }>(
      clickhouse,
      `SELECT toFloat64(${sum}) AS batches FROM ${table} WHERE ${own}`,
    );
    counts.add(row?.batches ?? -1);
  }
  await clickhouse.close();
  t.equal(counts.size, 1, 'the tables agree', { found: [...counts] });
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sqlite from 'node-sqlite3-wasm';
import t from 'tap';
import { kumaTables } from '../../../cli/import/kuma.js';
import { readSqlite, type SqliteBounds } from '../../../cli/import/read-sqlite.js';
import { runInProcess } from '../../support/run-heartline.js';
import { waitUntil } from '../../support/wait-until.js';

const folder = t.testdir();
let databases = 0;

/** A database with these statements. */
function make(statements: string): string {
  const path = join(folder, `${++databases}.db`);
  const database = new sqlite.Database(path);
  database.exec(statements);
  database.close();
  return path;
}

const plain = make(`
  create table monitor (id integer primary key, name text);
  insert into monitor values (2, 'b'), (1, 'a');
  create view report as select * from monitor;`);
const endless = 'with recursive n (id) as (select 1 union all select id + 1 from n) select id from n';
/**
 * A row whose column takes an hour to read: at each of a million places, a million characters are compared. The insert
 * would compute it, too.
 */
const slow = make(`
  create table monitor (id integer primary key, slow as (1));
  insert into monitor (id) values (1);
  pragma writable_schema = on;
  update sqlite_schema set sql = replace(sql, '(1)', '(instr(hex(zeroblob(1000000)), hex(zeroblob(500000)) || ''1''))')
  where name = 'monitor';`);

const bounds: SqliteBounds = { fileBytesMax: 1e6, rowsMax: 9, valueBytesMax: 1e6, timeoutMs: 60_000 };
const read = (path: string, changed: Partial<SqliteBounds> = {}) =>
  readSqlite(path, kumaTables, ['monitor'], { ...bounds, ...changed });

t.test('rows of tables are read in their order', async (t) => {
  const rows = [
    { id: 1, name: 'a' },
    { id: 2, name: 'b' },
  ];
  t.strictSame(await read(plain), { rows: { monitors: rows }, others: [] });
});

t.test('what computes its rows is no table, whatever the database calls it', async (t) => {
  const named = make(`
    create table monitor (id integer); create view endless as ${endless};
    pragma writable_schema = on;
    delete from sqlite_schema where name = 'monitor';
    update sqlite_schema set type = 'table', name = 'monitor', tbl_name = 'monitor',
      sql = replace(sql, 'VIEW endless', 'VIEW monitor');`);
  await t.rejects(
    read(make(`create view monitor as ${endless};`)),
    /monitor is no table but of the kind view/,
  );
  await t.rejects(read(named), /malformed database schema/);
  await t.rejects(read(make('create virtual table monitor using fts5(id)')), /but of the kind virtual/);
  await t.rejects(read(make('create table other (id)')), /no such table: monitor/);
});

t.test('rows, their bytes, the file and the time are bounded', async (t) => {
  await t.rejects(read(plain, { rowsMax: 1 }), /monitor has more than 1 rows/);
  await t.rejects(read(plain, { valueBytesMax: 10 }), /its rows have more than 10 bytes/);
  await t.rejects(read(plain, { fileBytesMax: 100 }), /has more than 100 bytes/);
  await t.rejects(read(slow, { timeoutMs: 100 }), /its rows take longer than 0\.1 s/);
});

t.test('a pipe and a device are no files, and nobody waits for their end', async (t) => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const env = { HEARTLINE_URL: 'http://127.0.0.1:9', HEARTLINE_KEY: `key_manage_${'a'.repeat(43)}` };
  const wrong: string[] = [];
  for (const product of ['kuma', 'kener', 'gatus']) {
    for (const path of [pipe, '/dev/zero']) {
      const { code, stderr } = await runInProcess(['import', product, path, '--page', 'acme'], env);
      if (code !== 1 || !stderr.includes('a pipe or a device')) wrong.push(`${product} ${path}: ${stderr}`);
    }
  }
  const applied = await runInProcess(['apply', '/dev/zero'], env);
  t.match(applied, { code: 1, stderr: /\/dev\/zero has more than 4194304 bytes/ });
  t.strictSame(wrong, []);
});

t.test('the copy goes when the import ends or is stopped, and with the next one after a kill', async (t) => {
  const copies = join(folder, 'copies');
  await mkdir(copies);
  const main = fileURLToPath(new URL('read-sqlite-process.js', import.meta.url));
  const start = (path: string): ChildProcess =>
    spawn(process.execPath, [main, path], { env: { TMPDIR: copies }, stdio: 'inherit' });
  async function end(signal: NodeJS.Signals): Promise<number> {
    const child = start(slow);
    const exited = once(child, 'exit');
    const isCopied = async () =>
      (await readdir(copies, { recursive: true })).some((name) => name.endsWith('.db'));
    await waitUntil('there is a copy', isCopied);
    child.kill(signal);
    await exited;
    return (await readdir(copies)).length;
  }
  t.equal(await end('SIGTERM'), 0);
  t.equal(await end('SIGKILL'), 1);
  await once(start(plain), 'exit');
  t.strictSame(await readdir(copies), []);
});

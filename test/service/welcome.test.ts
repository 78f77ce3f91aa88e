import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { createPasswords, findSetupLink, setUp } from '../../control/people/index.js';
import { systemClock } from '../../lib/clock.js';
import { welcome } from '../../service/demo-page.js';
import { handOver, makeSetupUrl } from '../../service/hand-over.js';
import { captureLog } from '../support/capture-log.js';
import { silentLog } from '../support/silent-log.js';
import { openTestPostgres } from '../support/stores.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const { sql, databaseUrl } = await openTestPostgres(t);
const url = 'http://127.0.0.1:8080';
const pages = { addresses: [], more: 0 };
const shown = { pages, acknowledgedFrom: 'the log', prefix: 'npx heartline' };
const keys = { ingest: 'key_ingest_1', read: 'key_read_2', incident: 'key_live_3' };
const demo = { slug: 'demo', hostname: 'localhost', keys };

t.test(
  'a log gets the places of the link and of the keys, and files that only the owner reads have them',
  async (t) => {
    const dataDir = await temporaryFolder(t);
    const config = { hasLog: true, dataDir } as const;
    const start = { databaseUrl, url, demo, isTerminal: false, answers: true, log: silentLog };
    // A file that somebody left there neither lends its mode nor gets the secret.
    await writeFile(join(dataDir, 'setup-link'), 'old', { mode: 0o644 });
    const handed = await handOver(config, start);
    const printed = welcome(url, { ...shown, ...handed });
    t.notMatch(printed, /setup#|key_(?:ingest|read|live)_/);
    t.match(printed, `with the link in this file, which only you can read:\n  ${dataDir}/setup-link\n`);
    t.match(printed, `delete it when you have them:\n  ${dataDir}/first-keys\n`);
    t.match(printed, `"Authorization: Bearer $(sed -n 's/^ingest *//p' ${dataDir}/first-keys)"`);
    const link = await readFile(join(dataDir, 'setup-link'), 'utf8');
    t.equal(await findSetupLink({ sql, clock: systemClock }, new URL(link.trim()).hash.slice(1)), true);
    t.equal(
      await readFile(join(dataDir, 'first-keys'), 'utf8'),
      `ingest    ${keys.ingest}\nread      ${keys.read}\nincident  ${keys.incident}\n`,
    );
    for (const name of ['setup-link', 'first-keys'])
      t.equal((await stat(join(dataDir, name))).mode & 0o777, 0o600, name);

    const later = await handOver(config, { ...start, demo: undefined });
    t.match(later, { setUp: { file: join(dataDir, 'setup-link') } });
    t.not(await readFile(join(dataDir, 'setup-link'), 'utf8'), link, 'another start has another link');
  },
);

t.test('a terminal shows them, and nothing is written', async (t) => {
  const dataDir = await temporaryFolder(t);
  const start = { databaseUrl, url, demo, isTerminal: true, answers: true, log: silentLog };
  const printed = welcome(url, { ...shown, ...(await handOver({ hasLog: true, dataDir }, start)) });
  t.match(printed, /^ {2}http:\/\/127\.0\.0\.1:8080\/manage\/setup#[0-9A-Za-z]{43}$/m);
  t.match(
    printed,
    /^It has three keys, which are not shown again:\n {2}ingest {4}key_ingest_1\n {2}read {6}key_read_2$/m,
  );
  await t.rejects(stat(join(dataDir, 'setup-link')));
});

t.test('without a data folder, or with one that takes no file, the start names the command', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'file');
  await writeFile(file, '');
  const urls = { databaseUrl, clickhouseUrl: 'http://clickhouse:8123' };
  const start = { databaseUrl, url, isTerminal: false, answers: true, log: silentLog };
  const [external, unwritable, silent] = [
    await handOver({ hasLog: false, dataDir: folder, ...urls }, { ...start, demo: undefined }),
    await handOver({ hasLog: true, dataDir: file }, { ...start, demo }),
    await handOver({ hasLog: true, dataDir: folder }, { ...start, demo: undefined, answers: false }),
  ];
  const command = 'npx heartline user create --email EMAIL --name NAME --admin';
  t.match(welcome(url, { ...shown, ...external }), `prints a link to choose its password:\n  ${command}\n`);
  const printed = welcome(url, { ...shown, ...unwritable });
  t.match(printed, command);
  t.match(printed, 'Make keys for it: npx heartline key create --help');
  t.strictSame(
    silent,
    { setUp: undefined, demo: undefined },
    'an instance that answers nothing hands over nothing',
  );
});

t.test('a file that cannot be replaced leaves no copy of the secrets, and the log says why', async (t) => {
  const dataDir = await temporaryFolder(t);
  // A folder of this name refuses the file at the last step, after the secret is on the disk.
  for (const name of ['setup-link', 'first-keys'])
    await mkdir(join(dataDir, name, 'in-the-way'), { recursive: true });
  const { log, entries, text } = captureLog();
  const start = { databaseUrl, url, demo, isTerminal: false, answers: true, log };
  t.match(await handOver({ hasLog: true, dataDir }, start), { setUp: 'command', demo: { keys: 'command' } });
  t.strictSame((await readdir(dataDir)).sort(), ['first-keys', 'setup-link']);
  t.match(entries(), [
    { level: 40, file: join(dataDir, 'setup-link'), code: /^E[A-Z]+$/ },
    { level: 40, file: join(dataDir, 'first-keys'), code: /^E[A-Z]+$/ },
  ]);
  t.notMatch(text(), /setup#|key_(?:ingest|read|live)_/);
});

t.test('while nobody has an account each start makes a link, and they work side by side', async (t) => {
  const [first = '', second = ''] = [
    await makeSetupUrl(databaseUrl, url),
    await makeSetupUrl(databaseUrl, url),
  ];
  t.not(first, second);
  for (const link of [first, second]) {
    t.match(link, /^http:\/\/127\.0\.0\.1:8080\/manage\/setup#[0-9A-Za-z]{43}$/);
    t.equal(await findSetupLink({ sql, clock: systemClock }, new URL(link).hash.slice(1)), true);
  }
  const printed = welcome(url, { ...shown, demo, setUp: { url: first } });
  t.match(printed, `Nobody can sign in yet. Create your account within a day:\n  ${first}\n`);
  t.match(printed, 'The page "demo" then belongs to the person who sets up.');
  t.notMatch(welcome(url, { ...shown, demo: undefined, setUp: { url: first } }), 'then belongs');

  const person = { email: 'ann@example.com', name: 'Ann', password: 'violet harbour tin lamp' };
  const client = { address: '127.0.0.1', userAgent: 'test' };
  const token = new URL(first).hash.slice(1);
  await setUp({ sql, clock: systemClock, passwords: createPasswords() }, { ...person, ...client, token });
  t.equal(await makeSetupUrl(databaseUrl, url), undefined, 'afterwards none is made');
  t.equal(await findSetupLink({ sql, clock: systemClock }, new URL(second).hash.slice(1)), false);
});

t.test('a start says where people sign in', async (t) => {
  t.match(
    welcome(url, { ...shown, demo: undefined }),
    /^ {2}sign in {6}http:\/\/127\.0\.0\.1:8080\/manage$/m,
  );
  t.notMatch(welcome(url, { ...shown, demo: undefined }), 'Nobody can sign in');
});

import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createAdoption } from '../../../../lib/outbox/log/adopt.js';
import {
  type LogFolder,
  type LogOwner,
  makeToken,
  openLogFolder,
} from '../../../../lib/outbox/log/log-folder.js';
import { captureLog } from '../../../support/capture-log.js';
import { stopTime } from '../../../support/fake-time.js';
import { silentLog } from '../../../support/silent-log.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { waitUntil } from '../../../support/wait-until.js';

const secondMs = 1_000;
const wanted = (): boolean => true;

/** Processes by name. One that cannot be seen has no certain end. */
function setUpOwners(): { ended: Set<string>; owner(name: string): LogOwner } {
  const ended = new Set<string>();
  return {
    ended,
    owner: (name) => ({ description: name, hasEnded: async (description) => ended.has(description) }),
  };
}

async function setUp(t: Test) {
  const dir = join(await temporaryFolder(t), 'log');
  const owners = setUpOwners();
  const open = async (name: string): Promise<LogFolder> => {
    const folder = await openLogFolder(dir, owners.owner(name), silentLog);
    t.teardown(() => folder.close());
    return folder;
  };
  const adoptionOf = (folder: LogFolder, name: string) => createAdoption(dir, folder, owners.owner(name));
  return { dir, owners, open, adoptionOf };
}

/** Writes a file with one record. Returns its path. */
async function write(folder: LogFolder, text: string, store = 'default'): Promise<string> {
  const file = await folder.create(store);
  await file.append(1, [Buffer.from(text)], wanted);
  await file.close();
  return file.path;
}

const textsOf = async (files: readonly { path: string }[]): Promise<string[]> =>
  Promise.all(files.map(async ({ path }) => (await readFile(path)).subarray(24).toString()));

const ownerOf = ({ path }: LogFolder): string => join(path, 'owner.json');

/** Whether an owner has given its sign since a test put its last one far back. */
const hasSigned = async (folder: LogFolder): Promise<boolean> =>
  (await stat(ownerOf(folder))).mtimeMs > 1_000;

t.test('the files of an owner that has ended are taken over in their order', async (t) => {
  const { dir, owners, open, adoptionOf } = await setUp(t);
  const [left, own] = [await open('left'), await open('own')];
  for (let i = 1; i <= 11; i += 1) await write(left, `file ${i}`);
  await write(left, 'of a page', 'page');
  const adopt = adoptionOf(own, 'own');
  t.strictSame(await adopt(), [], 'while it runs');
  owners.ended.add('left');
  const files = await adopt();
  const usual = files.filter(({ store }) => store === 'default');
  t.strictSame(
    await textsOf(usual),
    Array.from({ length: 11 }, (_, i) => `file ${i + 1}`),
  );
  t.equal(usual[0]?.token, makeToken(left.id, 1), 'a file keeps its token');
  t.equal(usual[0]?.bytes, 24 + 'file 1'.length);
  t.strictSame(await textsOf(files.filter(({ store }) => store === 'page')), ['of a page']);
  t.ok(files.every(({ path }) => path.startsWith(own.path)));
  t.strictSame(await readdir(dir), [own.id], 'nothing is left of its folder');
  t.strictSame(await adopt(), []);
});

t.test('a folder without an owner is taken over at once', async (t) => {
  const { dir, open, adoptionOf } = await setUp(t);
  const own = await open('own');
  const restored = join(dir, '0123456789abcdef', 'default');
  await mkdir(restored, { recursive: true });
  await writeFile(join(restored, '0123456789abcdef.7.log'), Buffer.alloc(24));
  t.match(await adoptionOf(own, 'own')(), [{ store: 'default', token: '0123456789abcdef.7', bytes: 24 }]);
});

t.test('an owner whose end is uncertain is silent for 15 s before its files are taken over', async (t) => {
  const pass = stopTime(t);
  const { open, adoptionOf } = await setUp(t);
  const [silent, own] = [await open('silent'), await open('own')];
  await write(silent, 'a');
  await silent.close();
  const owner = ownerOf(silent);
  await writeFile(owner, 'silent');
  const adopt = adoptionOf(own, 'own');
  t.strictSame(await adopt(), []);
  await pass(14 * secondMs);
  t.strictSame(await adopt(), []);
  await utimes(owner, 1, 1);
  t.strictSame(await adopt(), [], 'a sign of life, whatever the time on its clock');
  await pass(14 * secondMs);
  t.strictSame(await adopt(), []);
  await pass(2 * secondMs);
  t.strictSame(await textsOf(await adopt()), ['a']);
});

t.test('an owner that runs gives signs of life', async (t) => {
  const pass = stopTime(t);
  const { open, adoptionOf } = await setUp(t);
  const [running, own] = [await open('running'), await open('own')];
  await write(running, 'a');
  const adopt = adoptionOf(own, 'own');
  for (let seconds = 0; seconds < 40; seconds += 5) {
    t.strictSame(await adopt(), []);
    await utimes(ownerOf(running), 1, 1);
    await pass(5 * secondMs);
    await waitUntil('it has given its sign', () => hasSigned(running));
  }
});

t.test('of two that take over at once, each file has one taker', async (t) => {
  const { owners, open, adoptionOf } = await setUp(t);
  const [left, one, two] = [await open('left'), await open('one'), await open('two')];
  for (let i = 1; i <= 40; i += 1) await write(left, `${i}`);
  owners.ended.add('left');
  const [first, second] = await Promise.all([adoptionOf(one, 'one')(), adoptionOf(two, 'two')()]);
  const texts = await textsOf([...first, ...second]);
  t.equal(texts.length, 40);
  t.equal(new Set(texts).size, 40);
});

t.test(
  'an owner that was suspended begins again, and writes nothing more into a file that was taken',
  async (t) => {
    const { log, text } = captureLog();
    const pass = stopTime(t);
    const { dir, open, adoptionOf } = await setUp(t);
    const suspended = await openLogFolder(dir, setUpOwners().owner('suspended'), log);
    t.teardown(() => suspended.close());
    const own = await open('own');
    const file = await suspended.create('default');
    t.teardown(() => file.close());
    await file.append(1, [Buffer.from('a')], wanted);
    // Another process has seen the silence.
    await rename(ownerOf(suspended), join(dir, 'aside'));
    t.strictSame(await textsOf(await adoptionOf(own, 'own')()), ['a']);
    await pass(2 * secondMs);
    await waitUntil('it has noticed', () => text().includes('Another process has taken the log over'));
    await waitUntil('it has begun again', async () => (await readdir(dir)).includes(suspended.id));
    await t.rejects(file.append(1, [Buffer.from('b')], wanted), { code: 'ENOENT' });
    await waitUntil('it has its owner again', () =>
      readFile(ownerOf(suspended), 'utf8').then(
        (description) => description === 'suspended',
        () => false,
      ),
    );
    t.match(
      await write(suspended, 'c'),
      new RegExp(`${makeToken(suspended.id, 2)}\\.log$`),
      'a token is used once',
    );
  },
);

t.test('an owner that gives its sign after a silence still looks whether its files are there', async (t) => {
  const pass = stopTime(t);
  const { dir, open } = await setUp(t);
  const suspended = await open('suspended');
  const file = await suspended.create('default');
  t.teardown(() => file.close());
  await file.append(1, [Buffer.from('a')], wanted);
  // No sign for six seconds, then one just before another process takes the files over.
  await rename(suspended.path, join(dir, 'aside'));
  await writeFile(suspended.path, 'no folder');
  await pass(6 * secondMs);
  await rm(suspended.path);
  await rename(join(dir, 'aside'), suspended.path);
  await utimes(ownerOf(suspended), 1, 1);
  await pass(2 * secondMs);
  await waitUntil('it has given its sign', () => hasSigned(suspended));
  await rename(file.path, `${file.path}.taken`);
  await t.rejects(file.append(1, [Buffer.from('b')], wanted), { code: 'ENOENT' });
});

t.test('what is no folder of an owner, and no file of the log, stays where it is', async (t) => {
  const { dir, owners, open, adoptionOf } = await setUp(t);
  const [left, own] = [await open('left'), await open('own')];
  const path = await write(left, 'a');
  await writeFile(join(left.path, 'default', 'notes.txt'), 'notes');
  await writeFile(join(dir, 'fedcba9876543210'), 'a file with the name of a folder');
  await mkdtemp(join(dir, 'lost+found-'));
  owners.ended.add('left');
  t.match(await adoptionOf(own, 'own')(), [{ token: makeToken(left.id, 1) }]);
  t.strictSame(await readdir(join(path, '..')), ['notes.txt']);
  t.equal((await readdir(dir)).length, 4);
});

t.test('a folder whose owner cannot be read is left alone', async (t) => {
  const { open, adoptionOf } = await setUp(t);
  const [hidden, own] = [await open('hidden'), await open('own')];
  await write(hidden, 'a');
  // Reading a folder fails for another reason than a file that is missing.
  await rm(ownerOf(hidden));
  await mkdir(ownerOf(hidden));
  t.strictSame(await adoptionOf(own, 'own')(), []);
  await rm(ownerOf(hidden), { recursive: true });
});

t.test('a file that cannot be taken over holds up no other one, and is named by the next call', async (t) => {
  const { owners, open, adoptionOf } = await setUp(t);
  const [left, own] = [await open('left'), await open('own')];
  await write(left, 'a', 'a');
  await write(left, 'b', 'b');
  owners.ended.add('left');
  await writeFile(join(own.path, 'b'), 'where a folder belongs');
  const adopt = adoptionOf(own, 'own');
  t.strictSame(await textsOf(await adopt()), ['a']);
  await t.rejects(adopt());
  await rm(join(own.path, 'b'));
  t.strictSame(await textsOf(await adopt()), ['b']);
});

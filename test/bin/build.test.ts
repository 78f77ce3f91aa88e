import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';

const clients = ['clients/pool-reporter', 'clients/reporter'];
const root = fileURLToPath(new URL('../../../', import.meta.url));

const manifest = 'dist/web/bundle/manifest.json';

t.setTimeout(180_000);

/** A checkout with the settings and the build of this one, and one source of each kind. */
async function checkout(t: Test) {
  const folder = await temporaryFolder(t);
  const settings = ['package.json', 'tsconfig.json', 'web/dashboard/tsconfig.json'];
  for (const path of [
    'bin',
    'web/static',
    'web/client',
    ...settings,
    ...clients.map((client) => `${client}/tsconfig.json`),
  ])
    await cp(join(root, path), join(folder, path), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  for (const client of clients) await write(`${client}/src/index.ts`, 'export const reporter = 1;\n');
  await write('web/client/live.ts', "document.title = 'live';\n");
  await write('web/dashboard/main.tsx', "document.title = 'dashboard';\n");
  await write('web/dashboard/styles/main.css', 'body { margin: 0 }\n');
  await write('lib/greeting.ts', "export const greeting: string = 'hello';\n");
  await write(
    'cli/main.ts',
    "import { greeting } from '../lib/greeting.js';\nprocess.stdout.write([greeting, ...process.argv.slice(2)].join(' '));\n",
  );
  const path = (name: string): string => join(folder, name);
  return { write, path, run: (...args: string[]) => start(path('bin/heartline.js'), args).ended };
}

function start(file: string, args: string[]) {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, ended };
}

t.test('a fresh checkout is built by its first command, and by no further one', async (t) => {
  const { path, run } = await checkout(t);
  t.strictSame(await run('page', 'list'), { code: 0, stdout: 'hello page list', stderr: '' });
  for (const built of ['dist/web/client/live.js', 'clients/pool-reporter/dist/index.d.ts', manifest])
    t.ok(existsSync(path(built)), built);
  const { mtimeMs } = await stat(path('dist/.stamp'));
  t.equal((await run('page', 'list')).stdout, 'hello page list');
  t.equal((await stat(path('dist/.stamp'))).mtimeMs, mtimeMs);
  t.notOk(existsSync(path('dist/.build-lock')));
});

t.test('a build follows every change that its result depends on', async (t) => {
  const { write, path, run } = await checkout(t);
  await write('lib/old.ts', 'export const old = 1;\n');
  await run();
  t.ok(existsSync(path('dist/lib/old.js')));

  await write('lib/greeting.ts', "export const greeting: string = 'good morning';\n");
  t.equal((await run('you')).stdout, 'good morning you', 'a source');

  await rm(path('lib/old.ts'));
  await run();
  t.notOk(existsSync(path('dist/lib/old.js')), 'a source that is gone');
  t.notOk(existsSync(path('dist/lib/old.js.map')));

  const settings = await readFile(path('tsconfig.json'), 'utf8');
  await write('tsconfig.json', settings.replace('"sourceMap": true', '"sourceMap": false'));
  await run();
  t.notMatch(await readFile(path('dist/cli/main.js'), 'utf8'), 'sourceMappingURL', 'settings');

  const bundled = await readFile(path(manifest), 'utf8');
  await write('web/dashboard/styles/main.css', 'body { margin: 1px }\n');
  await run();
  t.not(await readFile(path(manifest), 'utf8'), bundled, 'styles');

  await rm(path(manifest));
  await run();
  t.ok(existsSync(path(manifest)), 'a bundle that was deleted');

  await rm(path('dist/lib/greeting.js'));
  t.equal((await run('you')).stdout, 'good morning you', 'a compiled file that was deleted');

  await rm(path('node_modules'));
  await mkdir(path('node_modules'));
  for (const name of ['typescript', '@types', 'esbuild', '@esbuild'])
    await symlink(join(root, 'node_modules', name), path(join('node_modules', name)));
  const { mtimeMs } = await stat(path('dist/.stamp'));
  await write(
    'node_modules/.package-lock.json',
    '{"packages":{"node_modules/typescript":{"version":"7.9.9"}}}',
  );
  await run();
  t.ok((await stat(path('dist/.stamp'))).mtimeMs > mtimeMs, 'installed packages');
});

t.test('the third tier of tests is compiled while its packages are those of its lock file', async (t) => {
  const { write, path, run } = await checkout(t);
  const compiled = path('dist/test/all/word.js');
  const settings = 'test/all/tsconfig.json';
  await write(settings, await readFile(join(root, settings), 'utf8'));
  await write('test/all/package-lock.json', '{"lockfileVersion":3}');
  await write('test/all/word.ts', "import { word } from 'words';\nprocess.stdout.write(word);\n");
  await run();
  t.notOk(existsSync(compiled), 'without packages');

  const installed = 'test/all/node_modules';
  await write(`${installed}/words/package.json`, '{"type":"module","exports":"./index.js"}');
  await write(`${installed}/words/index.js`, "export const word = 'hello';\n");
  await write(`${installed}/words/index.d.ts`, 'export const word: string;\n');
  await write(`${installed}/.installed-lock.json`, '{"lockfileVersion":3}');
  t.match(await run(), { code: 0, stderr: '' });
  t.equal((await start(compiled, []).ended).stdout, 'hello');

  await write('test/all/package-lock.json', '{"lockfileVersion":4}');
  await run();
  t.notOk(existsSync(compiled), 'with packages of another lock file');
});

t.test('sources that do not compile end the command with what the compiler says', async (t) => {
  const { write, path, run } = await checkout(t);
  await run();
  await write('lib/greeting.ts', 'export const greeting: string = 1;\n');
  for (const attempt of ['first', 'second']) {
    const { code, stdout, stderr } = await run();
    t.strictSame({ code, stdout }, { code: 1, stdout: '' }, attempt);
    t.match(stderr, /lib\/greeting\.ts.*TS2322.*The sources do not compile\.\n$/s);
  }
  t.notOk(existsSync(path('dist/.stamp')));
});

t.test('texts that differ between languages end the command with their file and key', async (t) => {
  const { write, path, run } = await checkout(t);
  await write('web/dashboard/kit/texts.en.json', '{"title": "Title", "since": "Since {time}"}');
  await write('web/dashboard/kit/texts.de.json', '{"titel": "Titel", "since": "Seit {zeit}"}');
  const file = 'web/dashboard/kit/texts.de.json';
  t.strictSame(await run(), {
    ...{ code: 1, stdout: '' },
    stderr: [
      `${file}: "title" is missing.`,
      `${file}: "since" shows {zeit}, and {time} in English.`,
      `${file}: "titel" is not in English.\n`,
    ].join('\n'),
  });
  await rm(path(file));
  t.equal((await run()).stderr, `${file} is missing: web/dashboard/kit/texts.en.json has texts for it.\n`);
});

t.test('styles that cannot be bundled end the command, too', async (t) => {
  const { write, path, run } = await checkout(t);
  await write('web/dashboard/styles/main.css', "@import './none.css';\n");
  const { code, stderr } = await run();
  t.equal(code, 1);
  t.match(stderr, /Could not resolve "\.\/none\.css".*The sources do not compile\.\n$/s);
  t.notOk(existsSync(path('dist/.stamp')));
});

t.test('a build that was killed leaves nothing that the next one trusts', async (t) => {
  const { write, path, run } = await checkout(t);
  await run();
  await write('lib/greeting.ts', "export const greeting: string = 'new';\n");
  const { child, ended } = start(path('bin/heartline.js'), []);
  await waitUntil(
    'a build runs',
    () => existsSync(path('dist/.build-lock')) && !existsSync(path('dist/.stamp')),
  );
  child.kill('SIGKILL');
  await ended;
  t.notOk(existsSync(path('dist/.stamp')));
  // Whatever a compiler that was cut off has left of a file, for sources that have gone back since.
  await write('dist/lib/greeting.js', "export const greeting = 'a part");
  await write('lib/greeting.ts', "export const greeting: string = 'hello';\n");
  t.strictSame(await run('again'), { code: 0, stdout: 'hello again', stderr: '' });
});

t.test('of two commands that start together one builds, and the other waits', async (t) => {
  const { run } = await checkout(t);
  const runs = await Promise.all([run('one'), run('two')]);
  t.strictSame(
    runs.map(({ code, stdout }) => ({ code, stdout })),
    [
      { code: 0, stdout: 'hello one' },
      { code: 0, stdout: 'hello two' },
    ],
  );
});

t.test('the installed package, which has no sources, starts what it was given', async (t) => {
  const { path, run } = await checkout(t);
  await run();
  for (const name of ['bin/build.js', 'bin/build', 'tsconfig.json', 'lib', 'cli', 'node_modules'])
    await rm(path(name), { recursive: true });
  t.equal((await run('page', 'list')).stdout, 'hello page list');
  const { bin, files }: { bin: { heartline: string }; files: string[] } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  );
  t.ok(files.includes(bin.heartline));
  t.notOk(files.includes('bin'));
});

t.test('without a compiler a checkout says what to do', async (t) => {
  const { path, run } = await checkout(t);
  await rm(path('node_modules'));
  const { code, stderr } = await run();
  t.strictSame({ code, stderr }, { code: 1, stderr: 'The compiler is not installed; run npm ci first.\n' });
});

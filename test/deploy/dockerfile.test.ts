import { execFile } from 'node:child_process';
import { access, cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { temporaryFolder } from '../support/temporary-folder.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string) => readFile(join(root, path), 'utf8');
const run = promisify(execFile);

type Instruction = { name: string; rest: string };

/** The instructions of each stage; a line that ends with a backslash continues on the next one. */
function readStages(text: string): Instruction[][] {
  const stages: Instruction[][] = [];
  const lines = text.replaceAll(/\\\n\s*/g, '').split('\n');
  for (const line of lines.filter((line) => line !== '' && !line.startsWith('#'))) {
    const [, name = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (name === '') throw new Error(`No instruction: ${line}`);
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, rest });
  }
  return stages;
}

/** The flags with which `npm start` starts Node.js. */
const flags = JSON.parse(await read('package.json'))
  .scripts.start.split(' ')
  .filter((word: string) => word.startsWith('--'));

const stages = readStages(await read('Dockerfile'));
const all = (stage: Instruction[] | undefined, name: string) =>
  (stage ?? []).filter((instruction) => instruction.name === name).map(({ rest }) => rest);

t.test('the base image has a pinned version, the same in every stage', async (t) => {
  const images = stages.flatMap((stage) => all(stage, 'FROM')).map((from) => from.split(' ')[0]);
  t.equal(images.length, 2);
  t.equal(new Set(images).size, 1);
  t.match(images[0], /^node:24\.\d+-bookworm-slim$/);
});

t.test('the image does not run as root, and stops on SIGTERM', async (t) => {
  const image = stages.at(-1);
  t.match(all(image, 'USER').at(-1), /^[1-9]\d*:[1-9]\d*$/);
  t.strictSame(all(image, 'STOPSIGNAL'), ['SIGTERM']);
  const form = (text: string): unknown => JSON.parse(text);
  const command = ['node', ...flags, 'dist/cli/main.js', 'serve'];
  t.strictSame(all(image, 'CMD').map(form), [command], 'without a shell');
  const [healthcheck = ''] = all(image, 'HEALTHCHECK');
  t.match(form(healthcheck.replace(/^.*CMD /, '')), ['node', '-e', /\/healthz/]);
});

t.test('systemd starts the service with the flags of npm start', async (t) => {
  const command = ['/usr/bin/node', ...flags, '/opt/heartline/dist/cli/main.js', 'serve'].join(' ');
  t.match(await read('deploy/systemd/heartline.service'), `\nExecStart=${command}\n`);
});

t.test(
  'it contains the build and its runtime packages, and no other optional or development packages',
  async (t) => {
    const built = stages.at(0);
    t.match(all(built, 'RUN').join('\n'), /npm ci --omit=optional .*npm prune --omit=dev --omit=optional/s);
    for (const copy of all(stages.at(-1), 'COPY')) t.match(copy, /^--from=build \/app\//);
    const after = all(built, 'RUN').at(-1)?.split('npm prune').at(-1);
    t.match(after, /npm install --no-save .*@resvg\/resvg-js-/, 'and the one that draws pictures here');
  },
);

t.test('every compiled folder reaches the build, except tests and benchmarks', async (t) => {
  const { include }: { include: string[] } = JSON.parse(await read('tsconfig.json'));
  const sent = (await read('.dockerignore')).split('\n').filter((line) => line.startsWith('!'));
  for (const folder of include.filter((name) => name !== 'test' && name !== 'bench'))
    t.ok(sent.includes(`!${folder}`), folder);
  for (const file of ['package.json', 'package-lock.json', 'tsconfig.json', 'clients', 'bin'])
    t.ok(sent.includes(`!${file}`), file);
  t.notMatch(sent.join('\n'), /env|data(?!base-health$)/m);
});

type Lock = {
  packages: Record<
    string,
    { dev?: true; optional?: true; devOptional?: true; resolved?: string; link?: true }
  >;
};

/** Puts the packages into a folder that `npm ci` and `npm prune` leave in the build stage, as links to those of this one. */
async function linkRuntimePackages(folder: string): Promise<void> {
  const { packages }: Lock = JSON.parse(await read('package-lock.json'));
  for (const [path, { dev, optional, devOptional, link, resolved = '' }] of Object.entries(packages)) {
    if (!/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || dev || optional || devOptional) continue;
    const place = join(folder, path);
    await mkdir(dirname(place), { recursive: true });
    // npm links a workspace by a relative path.
    await symlink(link ? join('../..', resolved) : join(root, path), place);
  }
}

t.test('the image has no link that leads nowhere, and its command runs', async (t) => {
  const folder = await temporaryFolder(t);
  const [app, image] = [join(folder, 'app'), join(folder, 'image')];
  await mkdir(app);
  await linkRuntimePackages(app);
  for (const path of ['package.json', 'clients', 'docs', 'sql', 'web/static', 'dist']) {
    const filter = (source: string) => !/\/dist\/(test|bench)$|\/node_modules$/.test(source);
    await cp(join(root, path), join(app, path), { recursive: true, filter });
  }
  const commands = all(stages.at(0), 'RUN').flatMap((command) => command.split(' && '));
  for (const command of commands.filter((command) => !command.startsWith('npm ')))
    await run('sh', ['-c', command], { cwd: app });
  for (const copy of all(stages.at(-1), 'COPY')) {
    const [, from = '', to = ''] = /^--from=build \/app\/(\S+) \.\/(\S*)$/.exec(copy) ?? [];
    const place = join(image, to === '' ? from : to);
    await cp(join(app, from), place, { recursive: true, verbatimSymlinks: true });
  }
  const found = await readdir(image, { recursive: true, withFileTypes: true });
  const links = found.filter((entry) => entry.isSymbolicLink());
  t.ok(links.length > 10, 'the packages are links here');
  for (const { parentPath, name } of links) await t.resolves(access(join(parentPath, name)), name);
  await t.resolves(access(join(image, 'dist/ingest/read/reader.wasm')), 'no import names it');
  const { stdout } = await run(process.execPath, ['dist/cli/main.js', '--help'], { cwd: image });
  t.match(stdout, /heartline/);
});

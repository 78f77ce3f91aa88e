import { readFile } from 'node:fs/promises';
import t from 'tap';

const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');

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

const stages = readStages(await read('Dockerfile'));
const all = (stage: Instruction[] | undefined, name: string) =>
  (stage ?? []).filter((instruction) => instruction.name === name).map(({ rest }) => rest);

t.test('the base image has a pinned version, the same in every stage', async (t) => {
  const images = stages.flatMap((stage) => all(stage, 'FROM')).map((from) => from.split(' ')[0]);
  t.equal(images.length, 2);
  t.equal(new Set(images).size, 1);
  t.match(images[0], /^node:20\.\d+-bookworm-slim$/);
});

t.test('the image does not run as root, and stops on SIGTERM', async (t) => {
  const image = stages.at(-1);
  t.match(all(image, 'USER').at(-1), /^[1-9]\d*:[1-9]\d*$/);
  t.strictSame(all(image, 'STOPSIGNAL'), ['SIGTERM']);
  const form = (text: string): unknown => JSON.parse(text);
  t.strictSame(all(image, 'CMD').map(form), [['node', 'dist/cli/main.js', 'serve']], 'without a shell');
  const [healthcheck = ''] = all(image, 'HEALTHCHECK');
  t.match(form(healthcheck.replace(/^.*CMD /, '')), ['node', '-e', /\/healthz/]);
});

t.test(
  'it contains the build and its runtime packages, and no optional or development packages',
  async (t) => {
    const built = stages.at(0);
    t.match(all(built, 'RUN').join('\n'), /npm ci --omit=optional .*npm prune --omit=dev --omit=optional/s);
    for (const copy of all(stages.at(-1), 'COPY')) t.match(copy, /^--from=build \/app\//);
  },
);

t.test('every compiled folder reaches the build, except tests and benchmarks', async (t) => {
  const { include }: { include: string[] } = JSON.parse(await read('tsconfig.json'));
  const sent = (await read('.dockerignore')).split('\n').filter((line) => line.startsWith('!'));
  for (const folder of include.filter((name) => name !== 'test' && name !== 'bench'))
    t.ok(sent.includes(`!${folder}`), folder);
  for (const file of ['package.json', 'package-lock.json', 'tsconfig.json', 'clients'])
    t.ok(sent.includes(`!${file}`), file);
  t.notMatch(sent.join('\n'), /env|data(?!base-health$)/m);
});

import { access, readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import t from 'tap';
import { run } from '../../cli/run.js';
import { devices, keptPictures, pictureFile, schemes } from '../docs/picture.js';
import { pictures } from '../docs/pictures.js';

const root = new URL('../../../', import.meta.url);
const read = (path: string): Promise<string> => readFile(new URL(path, root), 'utf8');
const exists = (path: string): Promise<boolean> =>
  access(new URL(path, root)).then(
    () => true,
    () => false,
  );

const pages = (await readdir(new URL('docs', root)))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const paths = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'clients/pool-reporter/README.md',
  'clients/reporter/README.md',
  'examples/README.md',
  ...pages,
];
const texts = new Map(
  await Promise.all(paths.map(async (path) => [path, await read(path)] as [string, string])),
);

/** Code spans, and the lines of code blocks with continued lines joined. */
function codeOf(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```\w*\n(.*?)^ *```$/gms)].map(([, code = '']) => code);
  const prose = text.replace(/^ *```\w*\n.*?^ *```$/gms, '');
  const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace(/\s+/g, ' '));
  return [...blocks.flatMap((code) => code.replaceAll('\\\n', ' ').split('\n')), ...spans];
}

/** Anchors of the headings, by the rules of GitHub. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replace(/^ *```.*?^ *```$/gms, '').matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

async function help(...words: string[]): Promise<string> {
  const printed: string[] = [];
  const complain = (text: string): never => t.fail(text) as never;
  await run([...words, '--help'], { env: {}, print: (text) => void printed.push(text), complain });
  return printed.join('');
}

t.test('every link of the docs leads to a file and a heading', async (t) => {
  let links = 0;
  const broken: string[] = [];
  for (const [path, text] of texts) {
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^\w+:/.test(target)) continue;
      links += 1;
      const [file = '', anchor] = target.split('#');
      const linked = file === '' ? path : posix.join(posix.dirname(path), file);
      const leads =
        (await exists(linked)) && (anchor === undefined || anchorsOf(await read(linked)).has(anchor));
      if (!leads) broken.push(`${path}: ${target}`);
    }
  }
  t.strictSame(broken, []);
  t.ok(links > 100, `${links} links`);
});

t.test('git has the pictures that the docs show, and a command takes each', async (t) => {
  const all = [...texts.values()].join('\n');
  const taken = pictures.flatMap(({ name }) =>
    devices.flatMap((device) => schemes.map((scheme) => pictureFile(name, device, scheme))),
  );
  t.strictSame((await readdir(new URL('docs/images/dashboard', root))).sort(), [...keptPictures].sort());
  t.strictSame(
    keptPictures.filter((file) => !all.includes(`images/dashboard/${file}`) || !taken.includes(file)),
    [],
  );
});

t.test('the runbooks of the alert rules are headings', async (t) => {
  const rules = await read('deploy/prometheus/alerts.yml');
  const targets = [...rules.matchAll(/runbook: (\S+)#(\S+)/g)];
  t.ok(targets.length > 0);
  for (const [, path = '', anchor = ''] of targets) t.ok(anchorsOf(await read(path)).has(anchor), anchor);
});

t.test('docs/README.md lists every page', async (t) => {
  const contents = texts.get('docs/README.md') ?? '';
  for (const path of pages) {
    if (path !== 'docs/README.md') t.match(contents, `](${posix.basename(path)})`, path);
  }
});

t.test('every npm script of the docs exists', async (t) => {
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };
  for (const [path, text] of texts) {
    for (const code of codeOf(text)) {
      for (const [, name = ''] of code.matchAll(/\bnpm run ([\w:-]+)/g))
        t.ok(name in scripts, `${path}: ${name}`);
    }
  }
});

t.test('every source file that the docs name exists', async (t) => {
  for (const [path, text] of texts) {
    for (const code of codeOf(text)) {
      if (!/^[\w-]+(\/[\w-]+)+\.(ts|tsx|sh|yml|xml|test\.ts)$/.test(code)) continue;
      t.ok(await exists(code), `${path}: ${code}`);
    }
  }
});

t.test('the command line has every command and option that the docs print', async (t) => {
  const overview = await help();
  const names = [...overview.matchAll(/^ {2}([a-z]+(?: [a-z-]+)?) {2,}/gm)].map(([, name = '']) => name);
  t.ok(names.length > 40);
  let commands = 0;
  const unknown: string[] = [];
  for (const [path, text] of texts) {
    for (const code of codeOf(text)) {
      const [, line] = /.*\bheartline ([a-z]+(?: .*)?)$/.exec(code.replace(/ #.*$/, '')) ?? [];
      if (line === undefined) continue;
      const [noun = '', verbs = ''] = line.split(' ');
      for (const verb of verbs.split('|')) {
        const name = [`${noun} ${verb}`, noun].find((one) => names.includes(one)) ?? '';
        const isNoun = verbs === '' && names.some((one) => one.startsWith(`${noun} `));
        if (name === '' && !isNoun) unknown.push(`${path}: ${line}`);
        if (name === '') continue;
        commands += 1;
        const text = await help(...name.split(' '));
        const options = [...line.matchAll(/ (--[a-z-]+)/g)].map(([, option = '']) => option);
        if (!options.every((option) => text.includes(option))) unknown.push(`${path}: ${line}`);
      }
    }
  }
  t.strictSame(unknown, []);
  t.ok(commands > 60, `${commands} commands`);
});

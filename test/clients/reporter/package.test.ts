import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import t from 'tap';
import { packReporter } from './pack-reporter.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const bytesMax = 10_000;

const { folder, installed } = await packReporter(t);
const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
const adapters = Object.keys(manifest.exports).flatMap((path) =>
  path === '.' ? [] : path.slice('./'.length),
);

t.test('it has no dependencies, and nothing but compiled files', async (t) => {
  t.equal(adapters.length, 8);
  for (const field of ['dependencies', 'optionalDependencies', 'install', 'postinstall'])
    t.notOk(field in manifest || field in manifest.scripts, field);
  const files = await readdir(installed, { recursive: true });
  t.notOk(files.some((name) => name.endsWith('.tsbuildinfo') || name.startsWith('src')));
});

for (const [how, type] of [
  ['import', "const { createReporter } = await import('@heartline/reporter');"],
  ['require', "const { createReporter } = require('@heartline/reporter');"],
] as const) {
  t.test(`${how} works, for the adapters too`, async (t) => {
    const load = (name: string) =>
      how === 'import'
        ? `await import('@heartline/reporter/${name}')`
        : `require('@heartline/reporter/${name}')`;
    const lines = adapters.map((name) => `if (Object.keys(${load(name)}).length === 0) throw '${name}';`);
    const file = join(folder, how === 'import' ? 'host.mjs' : 'host.cjs');
    await writeFile(file, `${type}\n${lines.join('\n')}\nconsole.log(typeof createReporter);`);
    const { stdout } = await run(process.execPath, ['--no-warnings', file]);
    t.equal(stdout, 'function\n');
  });
}

for (const [module, moduleResolution] of [
  ['node16', 'node16'],
  ['esnext', 'bundler'],
] as const) {
  t.test(`types resolve with moduleResolution ${moduleResolution}`, async () => {
    const imports = adapters.map(
      (name, i) => `import * as adapter${i} from '@heartline/reporter/${name}';\nexport { adapter${i} };`,
    );
    const file = join(folder, `host-${moduleResolution}.mts`);
    const use = `import { createReporter, type Reporter } from '@heartline/reporter';
export const reporter: Reporter = createReporter({ url: 'http://a', key: 'k', service: 's' });
reporter.record({ endpoint: '/', method: 'GET', status: 200, ms: 1 });
// @ts-expect-error a status is a number
reporter.record({ endpoint: '/', method: 'GET', status: '200', ms: 1 });`;
    await writeFile(file, `${use}\n${imports.join('\n')}\n`);
    const options = { module, moduleResolution, target: 'es2022', lib: ['es2023', 'dom'], types: [] };
    const compilerOptions = { ...options, strict: true, noEmit: true, exactOptionalPropertyTypes: true };
    const project = join(folder, `tsconfig-${moduleResolution}.json`);
    await writeFile(project, JSON.stringify({ compilerOptions, files: [file] }));
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project]);
  });
}

for (const adapter of adapters) {
  t.test(`the core with the adapter for ${adapter} is at most 10 kB, gzipped`, async (t) => {
    const contents = `export * from '@heartline/reporter'; export * from '@heartline/reporter/${adapter}';`;
    const { outputFiles } = await build({
      ...{ stdin: { contents, resolveDir: folder }, bundle: true, minify: true, write: false },
      ...{ format: 'esm', platform: 'node' },
    });
    const bytes = gzipSync(outputFiles[0]?.contents ?? '').length;
    t.comment(`${bytes} bytes`);
    t.ok(bytes > 0 && bytes <= bytesMax, `${bytes} bytes`);
  });
}

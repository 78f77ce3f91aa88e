import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { temporaryFolder } from '../support/temporary-folder.js';
import { type Block, readPages } from './read-blocks.js';

/** Checks the JavaScript that the docs print against the types of the packages that it imports. */
const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What the text around a block says is there. */
const surroundings = `
declare const reporter: import('@heartline/reporter').Reporter;
declare const app: any, router: any, AppModule: any, pool: any, legacyPool: any, client: any, log: any;
declare const message: unknown, rawBody: string, request: { headers: any };
declare function handle(message: unknown): Promise<boolean>;
`;

/** A block may begin with the path of its file. */
function fileOf({ page, line, text }: Block): string {
  const [, own] = /^\/\/ (\S+\.js)\n/.exec(text) ?? [];
  return join(page.replace(/\W/g, '-'), own ?? `line-${line}.js`);
}

t.test('the JavaScript of the docs fits the packages', async (t) => {
  const folder = await temporaryFolder(t);
  const blocks = (await readPages())
    .flatMap((page) => page.blocks)
    .filter(({ language }) => language === 'js');
  t.ok(blocks.length > 15, `${blocks.length} blocks`);
  for (const block of blocks) {
    const file = join(folder, fileOf(block));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${block.text}\nexport {};\n`);
  }
  await writeFile(join(folder, 'surroundings.d.ts'), surroundings);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  // Packages that only the reporter is tested with, such as Nest, are in its folder.
  const packages = ['clients/reporter/node_modules/*', 'node_modules/*', 'node_modules/@types/*'];
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const compilerOptions = {
    ...{ allowJs: true, checkJs: true, noEmit: true, strict: false, skipLibCheck: true, target: 'es2023' },
    ...{ module: 'esnext', moduleResolution: 'bundler', types: ['node'] },
    paths: { '*': packages.map((path) => join(root, path)) },
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*'] }));
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).catch(
    (error: { stdout: string }) => error,
  );
  t.equal(stdout, '');
});

import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { temporaryFolder } from '../support/temporary-folder.js';
import { type Block, readPages } from './read-blocks.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const thirdTier = join(root, 'test/all');

/** Declarations of the names that the text around a block assumes. */
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

export type JavascriptBlocks = {
  /** Imports packages that are installed with the third tier of tests alone. */
  further: Block[];
  others: Block[];
};

/** The JavaScript that the docs print. */
export async function readJavascript(): Promise<JavascriptBlocks> {
  const manifest = await readFile(join(thirdTier, 'package.json'), 'utf8');
  const packages = Object.keys((JSON.parse(manifest) as { devDependencies: object }).devDependencies);
  const isFurther = ({ text }: Block) => packages.some((name) => text.includes(` from '${name}'`));
  const blocks = (await readPages())
    .flatMap((page) => page.blocks)
    .filter(({ language }) => language === 'js');
  return { further: blocks.filter(isFurther), others: blocks.filter((block) => !isFurther(block)) };
}

/** Checks blocks against the types of the packages that they import, which are in one of the folders. */
export async function checkJavascript(
  t: Test,
  blocks: readonly Block[],
  modules: readonly string[] = [join(root, 'node_modules')],
): Promise<void> {
  const folder = await temporaryFolder(t);
  for (const block of blocks) {
    const file = join(folder, fileOf(block));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${block.text}\nexport {};\n`);
  }
  await writeFile(join(folder, 'surroundings.d.ts'), surroundings);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const compilerOptions = {
    ...{ allowJs: true, checkJs: true, noEmit: true, strict: false, skipLibCheck: true, target: 'es2023' },
    ...{ module: 'esnext', moduleResolution: 'bundler', types: ['node'] },
    paths: { '*': modules.flatMap((path) => [join(path, '*'), join(path, '@types/*')]) },
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*'] }));
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).catch(
    (error: { stdout: string }) => error,
  );
  t.equal(stdout, '');
}

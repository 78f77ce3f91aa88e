import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCompiler } from './compile.js';
import { listWasmSources, wasm } from './project.js';
import { root } from './root.js';

const compiler = 'node_modules/assemblyscript/bin/asc.js';
/** Holds the hash of what the last run compiled. */
const memory = join(root, `${wasm.output}.sources`);

/**
 * Compiles the AssemblyScript sources, unless the last run was of the same ones: a run takes some seconds. Returns
 * `undefined`, or what the compiler says when it fails.
 */
export async function compileWasm() {
  const sources = listWasmSources();
  // A checkout of a test may have none.
  if (sources.length === 0) return undefined;
  if (!existsSync(join(root, compiler)))
    return 'The compiler of AssemblyScript is not installed; run npm install first.';
  const hash = createHash('sha256');
  for (const path of [...sources, 'node_modules/assemblyscript/package.json'])
    hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  const digest = hash.digest('hex');
  const output = join(root, wasm.output);
  if (existsSync(output) && existsSync(memory) && readFileSync(memory, 'utf8') === digest) return undefined;
  mkdirSync(dirname(output), { recursive: true });
  const { code, output: said } = await runCompiler([
    ...[join(root, compiler), join(wasm.sources, 'reader.ts')],
    ...['--config', join(wasm.sources, 'asconfig.json'), '--outFile', wasm.output],
  ]);
  if (code !== 0) return said.trim() || `The compiler of AssemblyScript ended with ${code}.`;
  writeFileSync(memory, digest);
  return undefined;
}

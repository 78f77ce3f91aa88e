/** Compiles the AssemblyScript sources alone: for the image, which is built without a check of types. */
import { compileWasm } from './build/wasm.js';

const failure = await compileWasm();
if (failure !== undefined) {
  process.stderr.write(`${failure}\n`);
  process.exitCode = 1;
}

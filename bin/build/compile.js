import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projects } from './project.js';
import { root } from './root.js';

const compiler = join(root, 'node_modules/typescript/bin/tsc');

/** Installations without development packages do not have it. */
export function isCompilerInstalled() {
  return existsSync(compiler);
}

/** Compiles every project. Returns `undefined`, or what the compiler says about the first one that fails. */
export async function compile() {
  const colours = process.stderr.isTTY ? ['--pretty'] : [];
  for (const { project } of projects) {
    const { code, output } = await runCompiler([compiler, '-p', project, ...colours]);
    if (code !== 0) return output.trim() || `The compiler ended with ${code}.`;
  }
  return undefined;
}

/**
 * Runs a compiler, which is a file for Node.js, with its arguments.
 *
 * @param {string[]} args
 * @returns {Promise<{ code: number | string, output: string }>}
 */
export function runCompiler(args) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const end = endWith(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code, signal) => {
      end();
      resolve({ code: code ?? signal ?? 1, output });
    });
  });
}

/**
 * Ends the compiler, which would write on, when a signal ends this process.
 *
 * @param {import('node:child_process').ChildProcess} child
 */
function endWith(child) {
  const onSignal = () => {
    child.kill('SIGKILL');
    process.exit(1);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
}

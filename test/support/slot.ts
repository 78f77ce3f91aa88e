// The first import, because it must run before tap.
import './plain-errors.js';

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestBase } from '@tapjs/core';
import t, { type Test } from 'tap';
import { errorCode } from '../../stack/errors.js';
import { noteDuration, startTimer } from './durations.js';
import { closeAtEnd, closeShared, shareUntilEnd } from './process-end.js';
import { builtPath, isThirdTier, listTests } from './tiers.js';

/** Two minutes in the first tier, five in the second, 15 in the third. */
function timeoutMsOf(file: string): number {
  if (isThirdTier) return 900_000;
  return systemFiles.has(file) ? 300_000 : 120_000;
}

const systemFiles = new Set(listTests('system'));

/**
 * Runs test files in this process, one after another, until the slots beside it have taken the rest. A process of its
 * own costs a file 0.5 s of processor time for tap and 1 s for the modules of the service, and two stores of its own
 * cost 2 s; here a file pays for its tests alone. Each file is a subtest named like the file. `import t from
 * 'tap'` is that subtest to the file: its hooks and teardowns end with it.
 */
export async function runSlot(): Promise<void> {
  // Each file has a limit of its own.
  t.setTimeout(0);
  const runFile = t.test.bind(t);
  giveUncaughtErrors();
  shareUntilEnd();
  const claims = await claimFolder();
  for (const file of chosenTests()) {
    if (!(await claim(claims, file))) continue;
    const started = startTimer();
    await runFile(file, { timeout: timeoutMsOf(file) }, async (fileTest) => {
      standInForRoot(fileTest);
      await import(builtPath(file));
    });
    noteDuration(file, started);
  }
  await closeShared();
}

/** The files that the command line chooses, else all of the first tier. */
function chosenTests(): string[] {
  const chosen = process.env['HEARTLINE_TEST_FILES'];
  return chosen === undefined ? listTests('unit') : chosen.split('\n');
}

/** All slots of a run share the folder that the runner names; a slot without a runner takes every file. */
async function claimFolder(): Promise<string> {
  const shared = process.env['HEARTLINE_TEST_CLAIMS'];
  if (shared !== undefined) return shared;
  const own = await mkdtemp(join(tmpdir(), 'heartline-claims-'));
  closeAtEnd(t, () => rm(own, { recursive: true }));
  return own;
}

/** Returns false when another slot has the file. */
async function claim(folder: string, file: string): Promise<boolean> {
  try {
    await writeFile(join(folder, file.replaceAll('/', '-')), '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Has the members of the root test, which every file imports, act on the test of a file. */
function standInForRoot(fileTest: Test): void {
  const members = new Proxy(fileTest, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  Object.setPrototypeOf(t, members);
}

/** Fails the test that runs, the innermost one, with an error that nobody catches. */
function giveUncaughtErrors(): void {
  const running: TestBase[] = [];
  const { main } = TestBase.prototype;
  TestBase.prototype.main = function noteMain(this: TestBase, done: () => void): void {
    running.push(this);
    main.call(this, () => {
      running.splice(running.indexOf(this), 1);
      done();
    });
  };
  const fail = (error: unknown) => (running.at(-1) ?? t).threw(error);
  process.on('uncaughtException', fail).on('unhandledRejection', fail);
}

import { Spawn } from '@tapjs/core';

/**
 * `npm test` loads this into tap's runner. So that it can watch and cover files, the runner has @tapjs/processinfo
 * record what each test's process loads, and every Node.js process below it: the stores, the service, the commands.
 * Nobody reads these records here, and they take more processor time than the tests' own modules: a file with a
 * PostgreSQL needs 1.6 s without them and 2.8 s with them, `heartline --help` 0.7 s and 2.0 s.
 */
const recorder = /^--import=.*\/@tapjs\/processinfo\//;
const { main } = Spawn.prototype;

Spawn.prototype.main = function mainWithoutRecorder(this: Spawn, done: () => void): void {
  const args = this.args.filter((arg) => !recorder.test(arg));
  // After this the runner adds the recorder to NODE_OPTIONS of what it starts: `env` takes that back.
  this.args = [`NODE_OPTIONS=${process.env['NODE_OPTIONS'] ?? ''}`, this.command, ...args];
  this.command = 'env';
  main.call(this, done);
};

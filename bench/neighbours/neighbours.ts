import { loadavg } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { line } from '../support/report.js';
import { attackNames } from './attacks/index.js';
import { measure } from './measure.js';
import { printRow } from './report.js';

/**
 * Measures what a quiet tenant and its readers notice while somebody attacks the service: each attack on a service of its
 * own, from processes that share the machine with it. With `--before`, the folder of another checkout that is built, the
 * service of that one is attacked first and its times are printed as well. Times are printed, never judged by the exit
 * code. Needs Linux: /proc.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    profile: { type: 'string' },
    before: { type: 'string' },
  },
});
const only = values.only?.split(',') ?? attackNames;
const names = attackNames.filter((name) => only.includes(name));
const attack = Number(values.seconds);
if (names.length !== only.length || !(attack >= 1 && attack <= 600)) {
  throw new Error(`--only takes some of ${attackNames.join(',')}; --seconds takes 1 to 600.`);
}

const sayLoad = () => line(`load of the machine ${loadavg()[0]?.toFixed(1)}`);
for (const name of names) {
  sayLoad();
  const seconds = { idle: 12, attack, after: 10 };
  const before =
    values.before === undefined
      ? undefined
      : await measure(name, seconds, { main: resolve(values.before, 'dist/cli/main.js') });
  printRow(await measure(name, seconds, { profile: values.profile }), before);
}
sayLoad();

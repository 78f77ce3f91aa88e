import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { line } from '../support/report.js';
import { attackNames } from './attacks/index.js';
import { measure } from './measure.js';
import { printRow } from './report.js';

/**
 * Measures what a quiet tenant and its readers notice while somebody attacks the service: each attack on a service of its
 * own, from processes that share the machine with it. Times are printed, never judged by the exit code. Needs Linux:
 * /proc.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    profile: { type: 'string' },
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
  printRow(await measure(name, { idle: 12, attack, after: 10 }, values.profile));
}
sayLoad();

import { stat } from 'node:fs/promises';
import { StackError } from '../errors.js';

/** `nobody` on Linux: a user without rights, which every system has. */
const nobody = 65_534;

/** Returns the user that runs the server of a data folder when this process is root: the owner, or nobody for a new one. */
export async function serverUser(dataFolder: string): Promise<number | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  return (await stat(dataFolder).catch(() => undefined))?.uid ?? nobody;
}

/**
 * Returns the command that runs a program as `user`; without a user, the program as it is.
 *
 * PostgreSQL refuses to run as root. The folder of the data or of the packages often lies below `/root`, which nobody
 * else may enter. One capability, CAP_DAC_OVERRIDE, lets the program enter it; all others are dropped for good, those to
 * change users included.
 */
export function asUser(user: number | undefined, program: string): string[] {
  if (user === undefined) return [program];
  const kept = '-all,+dac_override';
  return [
    ...['setpriv', '--securebits=+no_setuid_fixup', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'],
    ...[`--inh-caps=${kept}`, `--ambient-caps=${kept}`, `--bounding-set=${kept}`, '--', program],
  ];
}

/**
 * Explains why a command did not run at all.
 *
 * @returns `undefined` when the command itself has failed.
 */
export function explainNoRun(user: number | undefined, said: string): StackError | undefined {
  const reason = said.split('\n').find((line) => line.startsWith('setpriv:') || line.includes('ENOENT'));
  if (reason === undefined) return undefined;
  return new StackError(
    user === undefined
      ? `The embedded PostgreSQL cannot be run here (${reason}); it needs macOS or a Linux with glibc. Set DATABASE_URL to use a server.`
      : rootIsConfined(reason),
  );
}

/** Returns the sentence for a root that may not give files away or become another user, as in some containers. */
export function rootIsConfined(reason: string): string {
  return `PostgreSQL does not run as root, and this root cannot run it as another user with setpriv of util-linux (${reason}). Start Heartline as an ordinary user, or set DATABASE_URL to use a server.`;
}

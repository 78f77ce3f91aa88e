import { userInfo } from 'node:os';
import { StackError } from '../errors.js';
import { readFileIfAny } from '../files.js';

/**
 * Returns the beginning of a command that runs a program under a user with a name, and nothing when this user has one.
 * `initdb` refuses a user without an entry in /etc/passwd, such as the random one of a container; the server does not. In
 * a namespace of its own, the program has the number of another user, and its files belong to this user all the same.
 */
export async function asNamedUser(): Promise<string[]> {
  if (process.platform !== 'linux' || hasName()) return [];
  const users = (await readFileIfAny('/etc/passwd')) ?? '';
  const [, uid] = /^[^:\n]+:[^:\n]*:([1-9]\d*):/m.exec(users) ?? [];
  return uid === undefined ? [] : ['unshare', '--user', `--map-user=${uid}`, '--'];
}

/** Node.js throws when the system does not know the user. */
function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

/** Returns the error when `said` is what asNamedUser() or the program behind it complained of. */
export function withoutName(said: string): StackError {
  const reason = said.trim().split('\n').at(-1) ?? '';
  return new StackError(
    `PostgreSQL cannot be set up by the user ${process.geteuid?.()}, which has no entry in /etc/passwd, and a user namespace does not stand in for one (${reason}). Add an entry for the user, as OpenShift does, or set DATABASE_URL.`,
  );
}

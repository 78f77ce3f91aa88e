import type { Test } from 'tap';
import type { Actor } from '../../../control/audit/index.js';
import {
  createPasswords,
  createUser,
  type Passwords,
  type SignInDeps,
  type User,
} from '../../../control/people/index.js';
import { testActor } from '../../support/actor.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { type MovingClock, makeStoppedClock } from '../../support/moving-clock.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';

export const password = 'a river of seven stones';
export const client = { address: '203.0.113.7', userAgent: 'test' };

/** Hashes cheaply, and counts. */
export type CountedPasswords = Passwords & { count: number };

export function countPasswords(): CountedPasswords {
  const passwords = createPasswords({ parameters: { N: 16, r: 1, p: 1 } });
  const counted: CountedPasswords = {
    ...passwords,
    count: 0,
    hash(...args) {
      counted.count += 1;
      return passwords.hash(...args);
    },
    matches(...args) {
      counted.count += 1;
      return passwords.matches(...args);
    },
  };
  return counted;
}

export type PeopleDeps = SignInDeps & { clock: MovingClock; by: Actor; passwords: CountedPasswords };

/** An empty PostgreSQL, and what verbs of people work with. */
export async function openPeople(t: Test): Promise<PeopleDeps> {
  const { sql } = await openTestPostgres(t);
  const passwords = countPasswords();
  return {
    sql,
    clock: makeStoppedClock(),
    log: silentLog,
    by: testActor,
    secretKey: testSecretKey,
    passwords,
  };
}

/** A user with the password of these tests. */
export async function makePerson(
  deps: PeopleDeps,
  email: string,
  input: { isAdmin?: boolean } = {},
): Promise<User> {
  return createUser(deps, { email, name: 'Ada Lovelace', password, ...input });
}

/** The actions in the audit log, oldest first. */
export async function listActions({ sql }: PeopleDeps): Promise<string[]> {
  const rows = await sql<{ action: string }[]>`select action from audit_log order by at, id`;
  return rows.map(({ action }) => action);
}

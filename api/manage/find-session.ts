import { findSignedIn, type Passwords, type SignedIn } from '../../control/people/index.js';
import type { Clock } from '../../lib/clock.js';
import { createLru } from '../../lib/lru.js';
import { hashSecret } from '../../lib/secrets/secrets.js';
import { ServiceError } from '../../lib/service-error.js';
import { minuteMs } from '../../lib/times.js';
import { createUsedUp, createWindowCounter, networkOf } from '../../lib/window-counter.js';
import type { Sql } from '../../sql/open-postgres.js';

/** Look-ups of a network in a minute that find no session. */
export const unknownSessionsPerMinute = 100;
const networksMax = 10_000;
const sessionsMax = 10_000;

/**
 * Finds the person with the token of a session; `undefined` for none.
 *
 * @throws ServiceError `rateLimited` when too many tokens from the network of the client were unknown
 */
export type FindSession = (token: string, address: string) => Promise<SignedIn | undefined>;

/**
 * Bounds the queries that made-up tokens cost, per network and in memory. Sessions that this instance has found before go
 * on, because other people may share the network. A network with a session keeps its share of the turns to sign in.
 */
export function createFindSession(deps: {
  sql: Sql;
  clock: Clock;
  passwords: Pick<Passwords, 'welcome'>;
}): FindSession {
  const { clock, passwords } = deps;
  const unknown = createWindowCounter({ clock, windowMs: minuteMs, keysMax: networksMax });
  const refused = createUsedUp({ clock, msMax: minuteMs, keysMax: networksMax });
  const found = createLru<string, true>(sessionsMax);
  return async (token, address) => {
    const network = networkOf(address);
    const hash = hashSecret(token);
    const msLeft = found.has(hash) ? undefined : refused.msLeft(network);
    if (msLeft !== undefined) {
      throw new ServiceError('rateLimited', {
        message: 'Too many unknown sessions; wait and retry.',
        retryAfterSeconds: Math.max(1, Math.ceil(msLeft / 1000)),
      });
    }
    const person = await findSignedIn(deps, token);
    if (person !== undefined) {
      found.set(hash, true);
      passwords.welcome(address);
      return person;
    }
    found.delete(hash);
    const endsMs = unknown.count(network, unknownSessionsPerMinute);
    if (endsMs !== undefined) refused.note(network, endsMs);
    return undefined;
  };
}

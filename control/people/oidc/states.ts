import type { Clock } from '../../../lib/clock.js';
import { hashSecret } from '../../../lib/secrets/secrets.js';
import { minuteMs } from '../../../lib/times.js';
import type { Sql } from '../../../sql/open-postgres.js';

/** How long a person may take at the identity provider, in milliseconds. */
export const oidcAttemptMs = 10 * minuteMs;

/**
 * Uses the state of an answer of the identity provider, on all instances. Returns false when it was used before. Rows are
 * kept for twice as long as an attempt lasts, because the clocks of instances differ.
 */
export async function spendOidcState(
  { sql, clock }: { sql: Sql; clock: Clock },
  state: string,
): Promise<boolean> {
  const now = clock.now();
  await sql`delete from oidc_states where expires_at < ${new Date(now)}`;
  const { count } = await sql`
    insert into oidc_states (state_hash, expires_at)
    values (decode(${hashSecret(state)}, 'hex'), ${new Date(now + 2 * oidcAttemptMs)})
    on conflict (state_hash) do nothing`;
  return count === 1;
}

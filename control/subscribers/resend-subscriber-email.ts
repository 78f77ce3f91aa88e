import type { EmailState } from '../../contract/subscribers.js';
import type { Clock } from '../../lib/clock.js';
import { ControlError } from '../../lib/control-error.js';
import { type EmailId, parseId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

/**
 * Puts a parked email back among those that are due, with all its attempts before it.
 *
 * @throws ControlError when there is no such email, or it is not parked.
 */
export async function resendSubscriberEmail(
  { sql, clock }: { sql: Sql; clock: Clock },
  { id }: { id: string },
): Promise<{ id: EmailId }> {
  const emailId = parseId<EmailId>(id);
  if (emailId === undefined) throw new ControlError(`There is no email with the id "${id}".`);
  const [resent] = await sql<{ id: EmailId }[]>`
    update emails set state = 'pending', attempts = 0, next_attempt_at = ${new Date(clock.now())},
      claimed_until = null, reason = null, finished_at = null
    where id = ${emailId} and state = 'parked' returning id`;
  if (resent !== undefined) return resent;
  const [other] = await sql<{ state: EmailState }[]>`select state from emails where id = ${emailId}`;
  if (other === undefined) throw new ControlError(`There is no email with the id "${id}".`);
  throw new ControlError(`The email ${emailId} is ${other.state}; only a parked one can be sent again.`);
}

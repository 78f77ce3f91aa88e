import { webhookLimits } from '../../contract/webhooks.js';
import { nextAttemptAt } from '../../lib/back-off.js';
import type { Clock } from '../../lib/clock.js';
import type { WebhookId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { AttemptOutcome } from './attempt-webhook.js';
import type { ClaimedDelivery } from './claim-webhooks.js';

type Deps = { sql: Sql; clock: Clock };

/** What becomes of a delivery after an attempt. */
type Next = { state: 'delivered' | 'pending' | 'parked'; next_attempt_at?: Date; reason: string | null };

/**
 * Writes down an attempt and what becomes of its delivery, which is answered. Where the claim ran out and another
 * attempt began meanwhile, that one decides.
 */
export async function recordAttempt(
  { sql, clock }: Deps,
  delivery: ClaimedDelivery,
  outcome: AttemptOutcome,
): Promise<Next['state']> {
  const now = clock.now();
  const next = decide(delivery, outcome, now);
  await inTransaction(sql, async (tx) => {
    await tx`
      insert into webhook_attempts (delivery_id, attempt, at, duration_ms, status, error, answer)
      values (${delivery.id}, ${delivery.attempts}, ${new Date(outcome.at)}, ${outcome.durationMs},
        ${outcome.status}, ${outcome.error}, ${outcome.answer})`;
    const finished_at = next.state === 'pending' ? null : new Date(now);
    await tx`
      update webhook_deliveries set ${tx({ ...next, finished_at, claimed_until: null })}
      where id = ${delivery.id} and state = 'pending' and attempts = ${delivery.attempts}`;
    if (outcome.gone) await disable(tx, delivery.webhook_id, now);
  });
  return next.state;
}

/** Hands a claimed delivery back whose attempt was broken off: it is due at once, and the attempt does not count. */
export async function releaseDelivery({ sql }: Pick<Deps, 'sql'>, delivery: ClaimedDelivery): Promise<void> {
  await sql`
    update webhook_deliveries set claimed_until = null, attempts = attempts - 1
    where id = ${delivery.id} and state = 'pending' and attempts = ${delivery.attempts}`;
}

function decide(delivery: ClaimedDelivery, { error, gone }: AttemptOutcome, now: number): Next {
  if (error === null) return { state: 'delivered', reason: null };
  if (gone) return { state: 'parked', reason: 'The receiver answered 410 Gone.' };
  const attempts = delivery.attempts - delivery.attempts_before;
  const at = attempts < webhookLimits.attempts ? nextAttemptAt(attempts, now) : undefined;
  if (at !== undefined) return { state: 'pending', next_attempt_at: new Date(at), reason: null };
  return { state: 'parked', reason: `Given up after ${attempts} attempts. The last one: ${error}` };
}

async function disable(tx: Transaction, id: WebhookId, now: number): Promise<void> {
  await tx`
    update webhooks set disabled_at = ${new Date(now)}, disabled_reason = 'The receiver answered 410 Gone.'
    where id = ${id} and disabled_at is null`;
}

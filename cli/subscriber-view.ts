import type { Subscriber, SubscriberEmail } from '../control/subscribers/index.js';

/** A subscriber as `--json` prints it. */
export function subscriberJson(subscriber: Subscriber): object {
  return {
    id: subscriber.id,
    email: subscriber.email,
    language: subscriber.language,
    state: subscriberState(subscriber),
    createdAt: subscriber.createdAt.toISOString(),
    confirmedAt: subscriber.confirmedAt?.toISOString() ?? null,
  };
}

/** Whether, and why not, the address gets email: confirmed, unconfirmed, unsubscribed or bounced. */
export function subscriberState({ confirmedAt, suppressed }: Subscriber): string {
  return suppressed ?? (confirmedAt === null ? 'unconfirmed' : 'confirmed');
}

/** An email as `--json` prints it. */
export function emailJson(email: SubscriberEmail): object {
  return {
    id: email.id,
    kind: email.kind,
    email: email.email,
    state: email.state,
    attempts: email.attempts,
    createdAt: email.createdAt.toISOString(),
    nextAttemptAt: email.nextAttemptAt?.toISOString() ?? null,
    finishedAt: email.finishedAt?.toISOString() ?? null,
    reason: email.reason,
  };
}

import type { PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { type Actor, type AuditedFields, recordChange } from '../audit/index.js';
import { type Subscriber, subscriberState } from './find-subscriber.js';

/**
 * An address as the audit log has it, such as `a…@example.com`: the log outlives the subscriber, who may want to be
 * forgotten.
 */
export function maskAddress(email: string): string {
  return `${email.slice(0, 1)}…${email.slice(email.lastIndexOf('@'))}`;
}

/** Writes the row of a change of a subscriber, or of a suppressed address, into the audit log. */
export async function recordSubscriber(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { pageId, verb, target, before, after }: SubscriberChange,
): Promise<void> {
  const name = maskAddress(target.email);
  await recordChange(tx, audit, {
    ...{ pageId, action: `subscriber.${verb}`, before, after },
    target: { type: 'subscriber', id: target.id, name },
  });
}

type SubscriberChange = {
  pageId: PageId;
  verb: 'create' | 'update' | 'delete' | 'confirm-mail' | 'unsuppress';
  target: { id: string; email: string };
  before: AuditedFields | null;
  after: AuditedFields | null;
};

/** The fields of a subscriber as the audit log has them. */
export function auditedSubscriber(subscriber: Subscriber): AuditedFields {
  const { email, language } = subscriber;
  return { email: maskAddress(email), language, state: subscriberState(subscriber) };
}

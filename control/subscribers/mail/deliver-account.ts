import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../lib/clock.js';
import type { Log } from '../../../lib/log.js';
import { startDeadline } from '../../../lib/timeout.js';
import { minuteMs } from '../../../lib/times.js';
import type { Sql } from '../../../sql/open-postgres.js';
import {
  type ClaimedAccountEmail,
  claimAccountEmails,
  finishAccountEmail,
  releaseAccountEmail,
  retryAccountEmail,
} from '../account-emails.js';
import { composeAccountEmail } from './compose-account.js';
import { judgeFailure, type Smtp } from './smtp.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  secretKey: string;
  smtp: Smtp;
  /** Limit of one message, after which the attempt has failed. */
  sendTimeoutMs: number;
};

const batchSize = 5;
/** Pause between messages, as for the emails of pages: requests to the API come first. */
const messageMs = 40;

/**
 * Claims a few due emails to people with an account, and sends them one after the other. Returns whether there were any.
 * When `stopping` is aborted, releases those that have not started.
 */
export async function deliverAccountEmails(deps: Deps, stopping: AbortSignal): Promise<boolean> {
  const leaseMs = batchSize * deps.sendTimeoutMs + minuteMs;
  const claimed = await claimAccountEmails(deps, { limit: batchSize, leaseMs });
  for (const email of claimed) {
    if (stopping.aborted) {
      await releaseAccountEmail(deps, email.id);
      continue;
    }
    await deliver(deps, email);
    await sleep(messageMs);
  }
  return claimed.length > 0;
}

async function deliver(deps: Deps, email: ClaimedAccountEmail): Promise<void> {
  const { clock, log, smtp } = deps;
  const { content } = email;
  if (content === undefined) {
    const reason = 'the link cannot be decrypted: HEARTLINE_SECRET_KEY has changed';
    await finishAccountEmail(deps, email.id, { state: 'parked', reason });
    return;
  }
  const error = () => new Error('The SMTP server took too long.');
  const deadline = startDeadline(deps.sendTimeoutMs, undefined, error);
  try {
    const message = composeAccountEmail({ from: smtp.from, now: clock.now() }, { ...email, content });
    await smtp.send(message, deadline.signal);
  } catch (failed) {
    const { bounced, reason } = judgeFailure(failed);
    if (bounced) await finishAccountEmail(deps, email.id, { state: 'parked', reason });
    const outcome = bounced ? 'bounced' : await retryAccountEmail(deps, email, reason);
    log.warn({ kind: content.kind, outcome }, 'An email to a person with an account was not delivered.');
    return;
  } finally {
    deadline.end();
  }
  await finishAccountEmail(deps, email.id, { state: 'delivered' });
}

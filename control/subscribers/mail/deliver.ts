import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../lib/clock.js';
import type { EmailId } from '../../../lib/ids.js';
import type { Log } from '../../../lib/log.js';
import { startDeadline } from '../../../lib/timeout.js';
import { minuteMs } from '../../../lib/times.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { type EmailAnnouncement, loadEmailAnnouncements } from './announcements.js';
import {
  type ClaimedEmail,
  claimEmails,
  parkEmails,
  recordConfirmationsSent,
  recordDelivered,
  recordFailure,
  refusalOf,
  releaseEmails,
} from './claims.js';
import { composeAnnouncement, composeConfirmation } from './compose.js';
import { composeNotice } from './compose-notice.js';
import { judgeFailure, type OutgoingMessage, type Smtp, smtpConnections } from './smtp.js';

export type DeliveryDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  secretKey: string;
  originOf: (hostname: string) => string;
  smtp: Smtp;
  /** Limit of one message, after which the attempt has failed. */
  sendTimeoutMs: number;
};

const batchSize = 5 * smtpConnections;
/**
 * A connection sends at most one message in this time, which is 200 a second in all: composing messages takes processor
 * time, and requests to the API come first. Few servers answer faster.
 */
const messageMs = 40;
/** Time that messages in flight have to end when the loop stops. */
const stopGraceMs = 5_000;

/**
 * Claims a batch of due emails and sends them, several at once. Returns whether there were any. When `stopping` is
 * aborted, releases those that have not started, and gives those in flight 5 s to end.
 */
export async function deliverEmails(deps: DeliveryDeps, stopping: AbortSignal): Promise<boolean> {
  const leaseMs = (batchSize / smtpConnections) * deps.sendTimeoutMs + minuteMs;
  const claimed = await claimEmails(deps, { limit: batchSize, leaseMs });
  if (claimed.length === 0) return false;
  const due = await parkRefused(deps, claimed);
  const asked = due
    .filter(({ kind }) => kind === 'confirmation')
    .flatMap(({ subscriberId }) => subscriberId ?? []);
  await recordConfirmationsSent(deps, asked);
  const ids = due.flatMap(({ announcementId }) => announcementId ?? []);
  const announcements = await loadEmailAnnouncements(deps.sql, [...new Set(ids)]);
  const compose = (email: ClaimedEmail) => composeEmail(deps, email, announcements);

  const delivered = createDeliveredRecorder(deps);
  const cut = cutAfterGrace(stopping);
  const failures: Failure[] = [];
  const lanes = Array.from({ length: smtpConnections }, async (_, lane) => {
    // Staggered: composing eight messages at once would hold up requests for as long.
    await sleep((lane * messageMs) / smtpConnections);
    for (let email = due.shift(); email !== undefined; email = due.shift()) {
      if (stopping.aborted) {
        await releaseEmails(deps, [email.id]);
        continue;
      }
      const turn = sleep(messageMs);
      failures.push(...(await deliver(deps, email, compose, { delivered, cut: cut.signal })));
      await turn;
    }
  });
  try {
    for (const lane of await Promise.allSettled(lanes)) if (lane.status === 'rejected') throw lane.reason;
  } finally {
    cut.clear();
    await delivered.flushed();
  }
  logFailures(deps.log, failures);
  return true;
}

/** Parks the emails to addresses that have unsubscribed or bounced since they were queued. Returns the others. */
async function parkRefused(deps: DeliveryDeps, claimed: readonly ClaimedEmail[]): Promise<ClaimedEmail[]> {
  const reasons = new Map<string, EmailId[]>();
  const due: ClaimedEmail[] = [];
  for (const email of claimed) {
    const reason = refusalOf(email);
    if (reason === undefined) due.push(email);
    else reasons.set(reason, [...(reasons.get(reason) ?? []), email.id]);
  }
  for (const [reason, ids] of reasons) await parkEmails(deps, ids, reason);
  return due;
}

function composeEmail(
  { secretKey, originOf, smtp, clock }: DeliveryDeps,
  email: ClaimedEmail,
  announcements: ReadonlyMap<string, EmailAnnouncement>,
): OutgoingMessage {
  const deps = { secretKey, originOf, from: smtp.from, now: clock.now() };
  if (email.notice !== null) return composeNotice(deps, email, email.notice);
  if (email.announcementId === null) return composeConfirmation(deps, email);
  const announcement = announcements.get(email.announcementId);
  if (announcement === undefined) throw new Error('The incident of the email is gone.');
  return composeAnnouncement(deps, email, announcement);
}

type Failure = { outcome: 'bounced' | 'parked' | 'retried'; code?: string; responseCode?: number };

/** Returns the failure, if there was one. */
async function deliver(
  deps: DeliveryDeps,
  email: ClaimedEmail,
  compose: (email: ClaimedEmail) => OutgoingMessage,
  { delivered, cut }: { delivered: DeliveredRecorder; cut: AbortSignal },
): Promise<Failure[]> {
  try {
    await sendWithin(deps, compose(email), cut);
  } catch (error) {
    if (cut.aborted) {
      await releaseEmails(deps, [email.id]);
      return [];
    }
    const outcome = await recordFailure(deps, email, judgeFailure(error));
    const { code, responseCode } = error as { code?: string; responseCode?: number };
    return [
      { outcome, ...(code !== undefined && { code }), ...(responseCode !== undefined && { responseCode }) },
    ];
  }
  delivered.add(email.id);
  return [];
}

/** Rejects after `sendTimeoutMs`, or when `cut` is aborted. */
async function sendWithin(
  { smtp, sendTimeoutMs }: DeliveryDeps,
  message: OutgoingMessage,
  cut: AbortSignal,
): Promise<void> {
  const error = () => new Error('The SMTP server took too long.');
  const deadline = startDeadline(sendTimeoutMs, cut, error);
  try {
    await smtp.send(message, deadline.signal);
  } finally {
    deadline.end();
  }
}

/** Logs one line for each batch, without addresses. The reason, which may hold one, is stored with the email. */
function logFailures(log: Log, failures: readonly Failure[]): void {
  const last = failures.at(-1);
  if (last === undefined) return;
  const count = (outcome: Failure['outcome']) =>
    failures.filter((failure) => failure.outcome === outcome).length;
  const counts = { bounced: count('bounced'), parked: count('parked'), retried: count('retried') };
  log.warn({ ...counts, code: last.code, responseCode: last.responseCode }, 'Emails were not delivered.');
}

type DeliveredRecorder = { add(id: EmailId): void; flushed(): Promise<void> };

/** Records delivered emails together: those that are delivered during one statement share the next. */
function createDeliveredRecorder(deps: DeliveryDeps): DeliveredRecorder {
  const waiting: EmailId[] = [];
  let recording: Promise<void> | undefined;

  async function record(): Promise<void> {
    while (waiting.length > 0) {
      const ids = [...waiting];
      await recordDelivered(deps, ids);
      waiting.splice(0, ids.length);
    }
  }

  return {
    add(id) {
      waiting.push(id);
      // Ids that could not be recorded stay in the list for the next statement, and for the last one.
      recording ??= record()
        .catch(() => {})
        .finally(() => {
          recording = undefined;
        });
    },
    async flushed() {
      await recording;
      await record();
    },
  };
}

/** Returns a signal that is aborted 5 s after `stopping` is. */
function cutAfterGrace(stopping: AbortSignal): { signal: AbortSignal; clear(): void } {
  const cut = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => cut.abort(), stopGraceMs);
  };
  if (stopping.aborted) begin();
  else stopping.addEventListener('abort', begin, { once: true });
  return {
    signal: cut.signal,
    clear() {
      clearTimeout(timer);
      stopping.removeEventListener('abort', begin);
    },
  };
}

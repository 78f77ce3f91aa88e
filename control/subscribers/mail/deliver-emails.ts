import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../lib/clock.js';
import type { EmailId } from '../../../lib/ids.js';
import type { Log } from '../../../lib/log.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { type ClaimedEmail, claimEmails, refusalOf } from './claim-emails.js';
import { composeAnnouncement, composeConfirmation } from './compose-email.js';
import { judgeFailure } from './email-failure.js';
import { type EmailAnnouncement, loadEmailAnnouncements } from './load-email-announcements.js';
import { type OutgoingMessage, type Smtp, smtpConnections } from './open-smtp.js';
import { parkEmails, recordDelivered, recordFailure, releaseEmails } from './record-emails.js';

export type DeliveryDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  secretKey: string;
  originOf: (hostname: string) => string;
  smtp: Smtp;
  /** Most that one message may take; then the attempt has failed. */
  sendTimeoutMs: number;
};

const batchSize = 5 * smtpConnections;
/**
 * A connection sends at most one message in that time, 200 a second in all: making messages takes the processor,
 * and requests to the API come first. Few servers answer faster.
 */
const messageMs = 40;
/** How long messages under way may go on after the worker was told to stop. */
const stopGraceMs = 5_000;

/**
 * Claims a batch of due emails and sends them, several at once. Answers whether there were any. When `stopping` is
 * aborted those that are not begun are given back, and those under way have a moment to end.
 */
export async function deliverEmails(deps: DeliveryDeps, stopping: AbortSignal): Promise<boolean> {
  const leaseMs = (batchSize / smtpConnections) * deps.sendTimeoutMs + 60_000;
  const claimed = await claimEmails(deps, { limit: batchSize, leaseMs });
  if (claimed.length === 0) return false;
  const due = await parkRefused(deps, claimed);
  await noteConfirmations(deps, due);
  const ids = due.flatMap(({ announcementId }) => announcementId ?? []);
  const announcements = await loadEmailAnnouncements(deps.sql, [...new Set(ids)]);
  const compose = (email: ClaimedEmail) => composeEmail(deps, email, announcements);

  const delivered = createDeliveredRecorder(deps);
  const cut = cutAfterGrace(stopping);
  const failures: Failure[] = [];
  const lanes = Array.from({ length: smtpConnections }, async (_, lane) => {
    // In turn: eight messages made in one go would hold requests up for as long.
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

/** Whoever unsubscribed, or bounced, since the email was queued does not get it. Answers the others. */
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

/** A link works from the moment at which it may first be read. */
async function noteConfirmations({ sql, clock }: DeliveryDeps, due: readonly ClaimedEmail[]): Promise<void> {
  const ids = due.filter(({ kind }) => kind === 'confirmation').map(({ subscriberId }) => subscriberId);
  if (ids.length === 0) return;
  await sql`
    update subscribers set confirmation_sent_at = ${new Date(clock.now())} where id = any (${ids}::uuid[])`;
}

function composeEmail(
  { secretKey, originOf, smtp, clock }: DeliveryDeps,
  email: ClaimedEmail,
  announcements: ReadonlyMap<string, EmailAnnouncement>,
): OutgoingMessage {
  const deps = { secretKey, originOf, from: smtp.from, now: clock.now() };
  if (email.announcementId === null) return composeConfirmation(deps, email);
  const announcement = announcements.get(email.announcementId);
  if (announcement === undefined) throw new Error('The incident of the email is gone.');
  return composeAnnouncement(deps, email, announcement);
}

type Failure = { outcome: 'bounced' | 'parked' | 'retried'; code?: string; responseCode?: number };

/** Answers what went wrong, if anything did. */
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

/** Rejects when it takes too long, or when `cut` is aborted. */
async function sendWithin(
  { smtp, sendTimeoutMs }: DeliveryDeps,
  message: OutgoingMessage,
  cut: AbortSignal,
): Promise<void> {
  const tooLong = new AbortController();
  // AbortSignal.timeout() would keep its timer, and fire it, long after the message was sent.
  const timer = setTimeout(() => tooLong.abort(new Error('The SMTP server took too long.')), sendTimeoutMs);
  try {
    await smtp.send(message, AbortSignal.any([tooLong.signal, cut]));
  } finally {
    clearTimeout(timer);
  }
}

/** One line a batch. Addresses stay out of it; the reason, which may hold one, is stored with the email. */
function logFailures(log: Log, failures: readonly Failure[]): void {
  const last = failures.at(-1);
  if (last === undefined) return;
  const count = (outcome: Failure['outcome']) =>
    failures.filter((failure) => failure.outcome === outcome).length;
  const counts = { bounced: count('bounced'), parked: count('parked'), retried: count('retried') };
  log.warn({ ...counts, code: last.code, responseCode: last.responseCode }, 'Emails were not delivered.');
}

type DeliveredRecorder = { add(id: EmailId): void; flushed(): Promise<void> };

/** What is delivered while one statement is under way shares the next one. */
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
      // What could not be recorded is tried again with the next one, and at the end.
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

/** A signal that is aborted some time after `stopping` is. */
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

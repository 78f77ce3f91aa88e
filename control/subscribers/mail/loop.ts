import type { Clock } from '../../../lib/clock.js';
import type { Log } from '../../../lib/log.js';
import { joinPollLoops, type PollLoop, startPollLoop } from '../../../lib/poll-loop.js';
import { secondMs } from '../../../lib/times.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { parkPending } from './claims.js';
import { deliverEmails } from './deliver.js';
import { deliverAccountEmails } from './deliver-account.js';
import { queueEmails } from './queue.js';
import { openSmtp } from './smtp.js';

export type EmailLoopDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  secretKey: string;
  /** See openSmtp(). Without it, emails are parked. */
  smtpUrl: string | undefined;
  /** Whether texts are translated, so that emails wait for their translations. */
  translates: boolean;
  /** Returns where the pages of a host are reached, such as `https://status.example.com`. */
  originOf: (hostname: string) => string;
  /** Limit of one message; 30 s when absent. */
  sendTimeoutMs?: number;
  /** Pause of the loops after a run that found nothing; see startPollLoop(). */
  pollMs?: number;
  /**
   * Called after each run that queued something. Another loop skips the announcements that this one has locked, and
   * would find them only after its pause.
   */
  onQueued?(): void;
};

const sendTimeoutMsUsual = 30 * secondMs;
const noServer = 'no SMTP server is configured (HEARTLINE_SMTP_URL)';
const parkedAtOnceMax = 500;

/**
 * Queues the emails of announcements, and sends them together with confirmations. Any number of instances may run on
 * one database.
 *
 * @throws Error with one sentence for the operator when the SMTP URL cannot be used.
 */
export function startEmailLoop(deps: EmailLoopDeps): PollLoop {
  const { log, smtpUrl, sendTimeoutMs = sendTimeoutMsUsual } = deps;
  const smtp = smtpUrl === undefined ? undefined : openSmtp(smtpUrl);
  if (smtp === undefined) log.warn({}, `Emails are parked, not sent: ${noServer}.`);
  const delivering = startPollLoop(
    'emails.deliver',
    (signal) =>
      smtp === undefined
        ? parkPending(deps, { limit: parkedAtOnceMax, reason: noServer })
        : deliverEmails({ ...deps, smtp, sendTimeoutMs }, signal),
    deps,
  );
  // A loop of its own, so that a slow server does not hold up the queue.
  const queuing = startPollLoop(
    'emails.queue',
    async () => {
      const found = await queueEmails(deps);
      if (found) {
        delivering.wake();
        deps.onQueued?.();
      }
      return found;
    },
    deps,
  );
  // Apart from the emails of pages: somebody waits for a link, and an incident may have thousands of subscribers.
  const account =
    smtp === undefined
      ? []
      : [
          startPollLoop(
            'emails.account',
            (signal) => deliverAccountEmails({ ...deps, smtp, sendTimeoutMs }, signal),
            deps,
          ),
        ];
  const loops = joinPollLoops([queuing, delivering, ...account]);
  return {
    wake: loops.wake,
    async stop() {
      await loops.stop();
      smtp?.close();
    },
  };
}

import { joinPollLoops, type PollLoop, startPollLoop } from '../../../lib/poll-loop.js';
import { secondMs } from '../../../lib/times.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { type DeliveryDeps, park, startDeliveryLoop } from '../../delivery/index.js';
import { emailTable } from './email-queue.js';
import type { MailDeps } from './mail-courier.js';
import { queueEmails } from './queue-emails.js';
import { createAccountCourier } from './send-account-emails.js';
import { createEmailCourier } from './send-emails.js';
import { openSmtp } from './smtp.js';

export type EmailLoopDeps = DeliveryDeps & {
  secretKey: string;
  /** See openSmtp(). Without it, emails are parked. */
  smtpUrl: string | undefined;
  /** Whether texts are translated, so that emails wait for their translations. */
  translates: boolean;
  /** Returns where the pages of a host are reached, such as `https://status.example.com`. */
  originOf: (hostname: string) => string;
  /** Starts the delivery of further emails by the same server, such as reports. Without a server, those wait. */
  startOthers?: (deps: MailDeps) => PollLoop[];
  /** Limit of one message; 30 s when absent. */
  sendTimeoutMs?: number;
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
  const { smtpUrl } = deps;
  const smtp = smtpUrl === undefined ? undefined : openSmtp(smtpUrl);
  if (smtp === undefined) deps.log.warn({}, `Emails are parked, not sent: ${noServer}.`);
  const delivering =
    smtp === undefined
      ? [startPollLoop('emails.deliver', () => parkWaiting(deps), deps)]
      : startDelivering({ ...deps, smtp, sendTimeoutMs: deps.sendTimeoutMs ?? sendTimeoutMsUsual });
  // A loop of its own, so that an announcement that cannot be queued does not hold up emails that are queued.
  const queuing = startPollLoop(
    'emails.queue',
    async () => {
      const found = await queueEmails(deps);
      if (found) {
        for (const loop of delivering) loop.wake();
        deps.onQueued?.();
      }
      return found;
    },
    deps,
  );
  const loops = joinPollLoops([queuing, ...delivering]);
  return {
    wake: loops.wake,
    async stop() {
      await loops.stop();
      smtp?.close();
    },
  };
}

/** Two loops: somebody waits for a link to an account, and an incident may have thousands of subscribers. */
function startDelivering(
  deps: Parameters<typeof createEmailCourier>[0] & Pick<EmailLoopDeps, 'startOthers'>,
): PollLoop[] {
  return [
    startDeliveryLoop(deps, { name: 'emails.deliver', couriers: [createEmailCourier(deps)] }),
    // Somebody waits for the one email that may be on its way when the loop stops: it has its whole time.
    startDeliveryLoop(
      { ...deps, stopGraceMs: deps.sendTimeoutMs },
      { name: 'emails.account', couriers: [createAccountCourier(deps)] },
    ),
    ...(deps.startOthers?.(deps) ?? []),
  ];
}

/** Parks emails that no server can send, due or not. Returns whether there were any. */
async function parkWaiting({ sql, clock }: { sql: Sql; clock: EmailLoopDeps['clock'] }): Promise<boolean> {
  const which = sql`q.id in (select id from emails where state = 'pending' limit ${parkedAtOnceMax})`;
  return (await park(sql, emailTable, { which, reason: noServer, now: clock.now() })) > 0;
}

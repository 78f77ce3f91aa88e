import type { Clock } from '../../../lib/clock.js';
import type { EmailId } from '../../../lib/ids.js';
import type { Log } from '../../../lib/log.js';
import { joinPollLoops, type PollLoop, startPollLoop } from '../../../lib/poll-loop.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { deliverEmails } from './deliver-emails.js';
import { openSmtp } from './open-smtp.js';
import { queueEmails } from './queue-emails.js';
import { parkEmails } from './record-emails.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  secretKey: string;
  /** See openSmtp(). Without one, emails are parked. */
  smtpUrl: string | undefined;
  /** Whether texts are being translated, which emails then wait for. */
  translates: boolean;
  /** Where the pages of a host are reached, such as `https://status.example.com`. */
  originOf: (hostname: string) => string;
  sendTimeoutMs?: number;
};

const sendTimeoutMsUsual = 30_000;
const noServer = 'no SMTP server is configured (HEARTLINE_SMTP_URL)';
const parkedAtOnceMax = 500;

/**
 * Makes emails of what is announced, and sends them with those that confirm addresses. Any number of instances may
 * run on one database.
 *
 * @throws Error with one sentence for the operator when the SMTP URL cannot be used.
 */
export function startEmailLoop(deps: Deps): PollLoop {
  const { log, smtpUrl, sendTimeoutMs = sendTimeoutMsUsual } = deps;
  const smtp = smtpUrl === undefined ? undefined : openSmtp(smtpUrl);
  if (smtp === undefined) log.warn({}, `Emails are parked, not sent: ${noServer}.`);
  // Apart, so that a slow server does not hold up what is queued behind it.
  const loops = joinPollLoops([
    startPollLoop('emails.queue', () => queueEmails(deps), { log }),
    startPollLoop(
      'emails.deliver',
      (signal) =>
        smtp === undefined ? parkDue(deps) : deliverEmails({ ...deps, smtp, sendTimeoutMs }, signal),
      { log },
    ),
  ]);
  return {
    wake: loops.wake,
    async stop() {
      await loops.stop();
      smtp?.close();
    },
  };
}

async function parkDue({ sql, clock }: Deps): Promise<boolean> {
  const due = await sql<{ id: EmailId }[]>`
    select id from emails where state = 'pending' limit ${parkedAtOnceMax}`;
  if (due.length === 0) return false;
  await parkEmails(
    { sql, clock },
    due.map(({ id }) => id),
    noServer,
  );
  return true;
}

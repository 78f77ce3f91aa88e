import type { TestMail } from '../../../contract/manage/installation.js';
import type { Clock } from '../../../lib/clock.js';
import { newId } from '../../../lib/ids.js';
import { ServiceError } from '../../../lib/service-error.js';
import { secondMs } from '../../../lib/times.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { type EmailLayout, renderEmailHtml } from '../../../web/mails/email-layout.js';
import { renderEmailText } from '../../../web/mails/email-text.js';
import { textsOf } from '../../../web/texts/texts-of.js';
import { type Actor, recordChange } from '../../audit/index.js';
import { judgeFailure, type OutgoingMessage, openSmtp, withoutSmtpSecrets } from './smtp.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  by: Actor;
  /** See openSmtp(); absent when no email can be sent. */
  smtpUrl: string | undefined;
};

export type TestMailInput = {
  to: string;
  /** BCP 47 tag. */
  language: string;
  /** Address of the service. */
  baseUrl: string;
};

/** Somebody waits for the answer. */
const timeoutMs = 15 * secondMs;

/**
 * Sends a message that shows whether the mail server takes emails, and returns what the server said. The message leaves at
 * once, on a connection of its own.
 *
 * @throws ServiceError `conflict` when no server is configured
 */
export async function sendTestMail(
  { sql, clock, by, smtpUrl }: Deps,
  { to, ...input }: TestMailInput,
): Promise<TestMail> {
  if (smtpUrl === undefined) {
    throw new ServiceError('conflict', {
      message: 'No mail can be sent: set HEARTLINE_SMTP_URL and restart the service.',
    });
  }
  const reason = await attempt(smtpUrl, { to, ...input, now: clock.now() });
  const sent: TestMail = { to, state: reason === null ? 'accepted' : 'failed', reason };
  await inTransaction(sql, (tx) =>
    recordChange(
      tx,
      { by, now: clock.now() },
      {
        ...{ pageId: null, action: 'mail.test', target: { type: 'mail', id: 'test', name: to } },
        ...{ before: null, after: { state: sent.state, reason } },
      },
    ),
  );
  return sent;
}

/** Returns why the server did not take the message; `null` when it did. */
async function attempt(smtpUrl: string, input: TestMailInput & { now: number }): Promise<string | null> {
  const smtp = openSmtp(smtpUrl);
  try {
    await smtp.send(compose(smtp.from, input), AbortSignal.timeout(timeoutMs));
    return null;
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') {
      return `The mail server did not answer within ${timeoutMs / secondMs} s.`;
    }
    return withoutSmtpSecrets(judgeFailure(error).reason, smtpUrl);
  } finally {
    smtp.close();
  }
}

function compose(
  from: string | undefined,
  { to, language, baseUrl, now }: TestMailInput & { now: number },
): OutgoingMessage {
  const { test, ...phrases } = textsOf('account-mail', language);
  const { origin, hostname } = new URL(baseUrl);
  const layout: EmailLayout = {
    brand: { name: 'Heartline', url: `${origin}/manage` },
    language: phrases.language,
    ...{ subject: test.subject, title: test.subject, text: { plain: test.text }, facts: [] },
    note: test.note,
  };
  return {
    messageId: `${newId(now)}@${hostname}`,
    from: { name: 'Heartline', address: from ?? `no-reply@${hostname}` },
    ...{ to, date: new Date(now), subject: layout.subject },
    ...{ text: renderEmailText(layout), html: renderEmailHtml(layout) },
    headers: { 'Auto-Submitted': 'auto-generated' }, // RFC 3834
  };
}

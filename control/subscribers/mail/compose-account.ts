import { type EmailLayout, renderEmailHtml } from '../../../web/mails/email-layout.js';
import { renderEmailText } from '../../../web/mails/email-text.js';
import { textsOf } from '../../../web/texts/texts-of.js';
import type { AccountEmailContent, NewAccountEmail } from '../queue-account-email.js';
import { oneLine } from './compose.js';
import type { OutgoingMessage } from './smtp.js';

/** Composes an invitation, or an email with a link to choose a new password. It comes from the installation. */
export function composeAccountEmail(
  { from, now }: { from: string | undefined; now: number },
  {
    id,
    recipient,
    language,
    content,
  }: Pick<NewAccountEmail, 'recipient' | 'language' | 'content'> & { id: string },
): OutgoingMessage {
  const phrases = textsOf('account-mail', language);
  const { origin, hostname } = new URL(content.link);
  const layout: EmailLayout = {
    brand: { name: 'Heartline', url: `${origin}/manage` },
    language: phrases.language,
    button: { text: phrases[content.kind].button, url: content.link },
    note: phrases[content.kind].note,
    ...(content.kind === 'invitation' ? invitationOf(content, language) : resetOf(content, language)),
  };
  return {
    messageId: `${id}@${hostname}`,
    from: { name: 'Heartline', address: from ?? `no-reply@${hostname}` },
    to: recipient,
    date: new Date(now),
    subject: layout.subject,
    text: renderEmailText(layout),
    html: renderEmailHtml(layout),
    headers: { 'Auto-Submitted': 'auto-generated' }, // RFC 3834
  };
}

type Content = Pick<EmailLayout, 'subject' | 'title' | 'text' | 'facts'>;

function invitationOf(
  { invitedBy, page, role }: Extract<AccountEmailContent, { kind: 'invitation' }>,
  language: string,
): Content {
  const { subject } = textsOf('account-mail', language).invitation;
  // Who invites to what is worded as on the page of the invitation.
  const { invitation, roles } = textsOf('account', language);
  const inviter = oneLine(invitedBy);
  const to = page === undefined ? undefined : oneLine(page);
  return {
    subject: subject({ name: to ?? 'Heartline' }),
    title: subject({ name: to ?? 'Heartline' }),
    text: {
      plain:
        to === undefined ? invitation.toInstallation({ inviter }) : invitation.toPage({ inviter, page: to }),
    },
    facts: role === undefined ? [] : [[invitation.role, roles[role]]],
  };
}

function resetOf(
  { isFirstProof = false }: Extract<AccountEmailContent, { kind: 'reset' }>,
  language: string,
): Content {
  const { subject, text, firstProof } = textsOf('account-mail', language).reset;
  const plain = isFirstProof ? `${text} ${firstProof}` : text;
  return { subject, title: subject, text: { plain }, facts: [] };
}

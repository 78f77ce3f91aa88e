import nodemailer from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';
import { parseEmailAddress } from '../../../lib/email-address.js';

export type OutgoingMessage = {
  /** Without the angle brackets. */
  messageId: string;
  from: { name: string; address: string };
  to: string;
  date: Date;
  subject: string;
  text: string;
  html: string;
  /** What the message answers, without the angle brackets: those that answer the same are shown together. */
  thread?: string;
  /** ASCII in one line each. */
  headers: Readonly<Record<string, string>>;
};

export type Smtp = {
  /** The sender's address, where the URL gives one. */
  from: string | undefined;
  /** Resolves when the server has taken the message; rejects with nodemailer's error, or when the signal is aborted. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<void>;
  close(): void;
};

/** Connections to the server, and so messages that are under way at once. */
export const smtpConnections = 8;
const messagesPerConnection = 1_000;
/** Of connecting, of the greeting, and of silence in between; the caller's signal bounds a message as a whole. */
const timeoutsMs = { connect: 10_000, greeting: 10_000, silence: 20_000 };

/**
 * A pool of connections to the server of an `smtp://` or `smtps://` URL; nothing connects before the first message.
 *
 * Its parameters: `from` is the sender's address; `tls=insecure` takes any certificate, and sends credentials
 * without TLS where the server has none. Without it a certificate must be valid, and credentials need TLS.
 *
 * @throws Error with one sentence for the operator when the URL says something else. It never repeats the URL.
 */
export function openSmtp(url: string): Smtp {
  const { protocol, hostname, port, username, password, searchParams } = new URL(url);
  for (const name of searchParams.keys()) {
    if (name !== 'from' && name !== 'tls')
      throw badUrl(`has the parameter "${name}"; known are from and tls`);
  }
  if (hostname === '') throw badUrl('names no host');
  const sender = searchParams.get('from');
  const from = sender === null ? undefined : parseEmailAddress(sender);
  if (sender !== null && from === undefined) throw badUrl('has a "from" that is no email address');
  const tls = searchParams.get('tls');
  if (tls !== null && tls !== 'insecure') throw badUrl('has a "tls" that is not "insecure"');

  const transport = nodemailer.createTransport({
    pool: true,
    maxConnections: smtpConnections,
    maxMessages: messagesPerConnection,
    maxRequeues: 1,
    host: hostname.replace(/^\[|\]$/g, ''),
    ...(port !== '' && { port: Number(port) }),
    secure: protocol === 'smtps:',
    requireTLS: username !== '' && tls !== 'insecure',
    tls: { rejectUnauthorized: tls !== 'insecure' },
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    connectionTimeout: timeoutsMs.connect,
    dnsTimeout: timeoutsMs.connect,
    greetingTimeout: timeoutsMs.greeting,
    socketTimeout: timeoutsMs.silence,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    from,
    async send(message, signal) {
      // Built here, it leaves in one write; streamed by the transport it takes a dozen.
      const raw = await build(message);
      await transport.sendMail({ raw, envelope: { from: message.from.address, to: message.to }, signal });
    },
    close() {
      transport.close();
    },
  };
}

/** A message as it travels (RFC 5322). */
function build({ messageId, from, to, thread, headers, ...content }: OutgoingMessage): Promise<Buffer> {
  const mail = {
    ...content,
    messageId: `<${messageId}>`,
    ...(thread !== undefined && { inReplyTo: `<${thread}>`, references: `<${thread}>` }),
    from,
    to: { name: '', address: to },
    headers: Object.entries(headers).map(([key, value]) => ({ key, value: { prepared: true, value } })),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  return new MailComposer(mail).compile().build();
}

function badUrl(what: string): Error {
  return new Error(`HEARTLINE_SMTP_URL ${what}.`);
}

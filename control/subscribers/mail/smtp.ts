import { isIPv4, isIPv6 } from 'node:net';
import nodemailer from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';
import type SMTPPool from 'nodemailer/lib/smtp-pool';
import { parseEmailAddress } from '../../../lib/email-address.js';
import { connect } from '../../../lib/outbound/connect.js';
import { createOutbound } from '../../../lib/outbound/request.js';

export type OutgoingMessage = {
  /** Without angle brackets. */
  messageId: string;
  from: { name: string; address: string };
  to: string;
  date: Date;
  subject: string;
  text: string;
  html: string;
  /** Id that the message refers to, without angle brackets. Mail programs show messages with the same id together. */
  thread?: string;
  /** Each is one line of ASCII. */
  headers: Readonly<Record<string, string>>;
};

export type Smtp = {
  /** Address of the sender, if the URL has one. */
  from: string | undefined;
  /** Resolves when the server has accepted the message. Rejects with nodemailer's error, or when `signal` is aborted. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<void>;
  close(): void;
};

/** Connections to the server, and so messages in flight. */
export const smtpConnections = 8;
const messagesPerConnection = 1_000;
const parameters: readonly string[] = ['from', 'name', 'tls'];
/** Limits of connecting, of the greeting and of silence; the caller's signal limits the whole message. */
const timeoutsMs = { connect: 10_000, greeting: 10_000, silence: 20_000 };

/**
 * Opens a pool of connections to the server of an `smtp://` or `smtps://` URL. The first message opens the first
 * connection.
 *
 * The URL has three parameters: `from` is the address of the sender; `name` is what this client calls itself in EHLO;
 * `tls=insecure` accepts any certificate, and sends credentials without TLS to a server that has none. Without it, the
 * certificate must be valid, and credentials need TLS.
 *
 * @throws Error with one sentence for the operator when the URL cannot be used. The sentence never repeats the URL.
 */
export function openSmtp(url: string): Smtp {
  const { protocol, hostname, port, username, password, searchParams } = new URL(url);
  for (const name of searchParams.keys()) {
    if (!parameters.includes(name)) throw badUrl(`has the parameter "${name}"; known are from, name and tls`);
  }
  if (hostname === '') throw badUrl('names no host');
  const sender = searchParams.get('from');
  const from = sender === null ? undefined : parseEmailAddress(sender);
  if (sender !== null && from === undefined) throw badUrl('has a "from" that is no email address');
  const name = searchParams.get('name');
  if (name !== null && !isClientName(name))
    throw badUrl('has a "name" that is neither a host name nor an address such as [192.0.2.1]');
  const tls = searchParams.get('tls');
  if (tls !== null && tls !== 'insecure') throw badUrl('has a "tls" that is not "insecure"');

  const host = hostname.replace(/^\[|\]$/g, '');
  // RFC 8314, section 7.3, and RFC 6409.
  const usualPort = protocol === 'smtps:' ? 465 : 587;
  // The operator's own server, which may be private.
  const route = createOutbound({ allowPrivateAddresses: true });
  const transport = nodemailer.createTransport({
    pool: true,
    // The library ends the attempt of an address family after 250 ms.
    getSocket(_options: SMTPPool.Options, done: (error: Error | null, opened?: object) => void) {
      const signal = AbortSignal.timeout(timeoutsMs.connect);
      connect(route, { host, port: Number(port || usualPort) }, { signal }).then(
        (connection) => done(null, { connection }),
        done,
      );
    },
    maxConnections: smtpConnections,
    maxMessages: messagesPerConnection,
    maxRequeues: 1,
    host,
    ...(port !== '' && { port: Number(port) }),
    // Otherwise the host name of the machine, and [127.0.0.1] when that has no dot.
    ...(name !== null && { name }),
    secure: protocol === 'smtps:',
    requireTLS: username !== '' && tls !== 'insecure',
    tls: { rejectUnauthorized: tls !== 'insecure' },
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    connectionTimeout: timeoutsMs.connect,
    greetingTimeout: timeoutsMs.greeting,
    socketTimeout: timeoutsMs.silence,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    from,
    async send(message, signal) {
      // A message that is built here leaves in one write; the transport's stream takes a dozen.
      const raw = await build(message);
      await transport.sendMail({ raw, envelope: { from: message.from.address, to: message.to }, signal });
    },
    close() {
      transport.close();
    },
  };
}

/** Whether a client may call itself so in EHLO (RFC 5321, sections 4.1.1.1 and 4.1.3). */
function isClientName(name: string): boolean {
  const [, version6, address = ''] = /^\[(IPv6:)?([\d.:a-f]+)\]$/i.exec(name) ?? [];
  if (address !== '') return version6 === undefined ? isIPv4(address) : isIPv6(address);
  return name.length <= 253 && /^(?!-)[a-z\d-]{1,63}(?<!-)(?:\.(?!-)[a-z\d-]{1,63}(?<!-))*$/i.test(name);
}

/** Builds a message as it is sent (RFC 5322). */
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

export type EmailFailure = {
  /** Whether the server says that no email can reach this address. */
  bounced: boolean;
  /** For the operator; may hold the address. */
  reason: string;
};

const reasonCharsMax = 500;

/** Judges by an error of Smtp.send() whether the address of the recipient exists. */
export function judgeFailure(error: unknown): EmailFailure {
  const { code, command, responseCode, response, message } = error as {
    code?: string;
    command?: string;
    responseCode?: number;
    response?: string;
    message?: string;
  };
  const reason = (response ?? message ?? String(error)).slice(0, reasonCharsMax);
  const refused = code === 'EENVELOPE' && command === 'RCPT TO' && responseCode !== undefined;
  return { bounced: refused && saysNoSuchRecipient(responseCode, response ?? ''), reason };
}

/**
 * An enhanced status (RFC 3463) says more than the code: 5.1.x and 5.2.1 concern the address of the recipient, but 5.1.7
 * and 5.1.8 the sender's, and 5.7.x means that the server accepts no mail from this sender. Suppressing addresses
 * for those would lose them all for one wrong setting.
 */
function saysNoSuchRecipient(responseCode: number, response: string): boolean {
  if (responseCode < 500) return false;
  const [, subject, detail] = /^\d{3}[ -]5\.(\d{1,3})\.(\d{1,3})\b/.exec(response) ?? [];
  if (subject === undefined) return [550, 551, 553].includes(responseCode);
  return (subject === '1' && detail !== '7' && detail !== '8') || (subject === '2' && detail === '1');
}

/**
 * Returns what a server said without the credentials of the URL: a server may repeat those that it was sent, as they are
 * or as AUTH encodes them.
 */
export function withoutSmtpSecrets(reason: string, smtpUrl: string): string {
  const { username, password } = new URL(smtpUrl);
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  const encoded = [secret, `\0${user}\0${secret}`].map((text) => Buffer.from(text).toString('base64'));
  return [password, secret, ...encoded]
    .filter((text) => secret !== '' && text !== '')
    .reduce((said, text) => said.replaceAll(text, '…'), reason);
}

import { once } from 'node:events';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Clock } from '../../lib/clock.js';
import { parseEmailAddress } from '../../lib/email-address.js';

/** `to` is the first recipient, and `file` where the mail is. */
export type KeptMail = { to: string; file: string };

type Options = {
  /** 0 takes any that is free. */
  port: number;
  folder: string;
  clock: Clock;
  onMail(mail: KeptMail): void;
};

/** The largest message; a mail of the service has less than a tenth. */
const bytesMax = 1024 ** 2;
/** The oldest are deleted beyond. */
const mailsMax = 200;
const ending = '.eml';

/**
 * Starts a mail server on this machine that delivers nothing: it keeps each mail as a file that mail programs open.
 * Returns its address as HEARTLINE_SMTP_URL has it, or `undefined` when another program has the port.
 */
export async function startMailSink(
  options: Options,
): Promise<{ url: string; stop(): Promise<void> } | undefined> {
  await mkdir(options.folder, { recursive: true });
  let kept = 0;
  const server = new SMTPServer({
    ...{
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      size: bytesMax,
      closeTimeout: 100,
    },
    onData(stream, session, done) {
      kept += 1;
      keep(options, { stream, session, number: kept }).then(() => done(), done);
    },
  });
  // A client that is killed resets its connection; that the port is taken is answered below.
  server.on('error', () => {});
  server.listen(options.port, '127.0.0.1');
  try {
    await once(server.server, 'listening');
  } catch {
    return undefined;
  }
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  return {
    url: `smtp://127.0.0.1:${port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

type Arriving = { stream: SMTPServerDataStream; session: SMTPServerSession; number: number };

async function keep(
  { folder, clock, onMail }: Options,
  { stream, session, number }: Arriving,
): Promise<void> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes <= bytesMax) chunks.push(chunk);
  }
  if (bytes > bytesMax) {
    throw Object.assign(new Error('The message is too large.'), { responseCode: 552 });
  }
  const at = new Date(clock.now()).toISOString().replace(/[:.]/g, '-');
  const file = join(folder, `${at}-${number}${ending}`);
  await writeFile(file, Buffer.concat(chunks));
  await forgetOldest(folder);
  const [recipient] = session.envelope.rcptTo;
  onMail({ to: parseEmailAddress(recipient?.address ?? '') ?? 'somebody', file });
}

/** Names begin with the time. */
async function forgetOldest(folder: string): Promise<void> {
  const mails = (await readdir(folder)).filter((name) => name.endsWith(ending)).sort();
  const oldest = mails.slice(0, Math.max(0, mails.length - mailsMax));
  await Promise.all(oldest.map((name) => rm(join(folder, name), { force: true })));
}

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import type { Test } from 'tap';

/** `raw` is the message as it was sent, and `clientName` what the client calls itself in EHLO. */
type TakenMessage = ParsedMail & { raw: string; clientName: string };

export type SmtpSink = {
  /** The address of the server, as HEARTLINE_SMTP_URL. */
  url: string;
  /** The accepted messages, in order. */
  messages: TakenMessage[];
  /** Returns the messages to one address. */
  to(address: string): TakenMessage[];
  /** Answers RCPT TO for an address with a text such as `550 5.1.1 No such user`; `undefined` accepts it. */
  refuse: (address: string) => string | undefined;
  /** Awaited before a message is accepted; the sender waits as long. */
  beforeTaking: (message: ParsedMail) => Promise<void>;
  stop(): Promise<void>;
};

/** Starts an SMTP server that keeps the messages that it gets. */
export async function startSmtpSink(t: Test): Promise<SmtpSink> {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    closeTimeout: 100,
    onRcptTo({ address }, _session, done) {
      const refusal = sink.refuse(address);
      if (refusal === undefined) return done();
      const [, code, text] = /^(\d{3}) (.*)$/.exec(refusal) ?? [];
      done(Object.assign(new Error(text), { responseCode: Number(code) }));
    },
    onData(stream, { hostNameAppearsAs }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        take(Buffer.concat(chunks), hostNameAppearsAs).then(() => done(), done);
      });
    },
  });
  // A client that is killed resets its connection.
  server.on('error', () => {});
  const sink: SmtpSink = {
    url: '',
    messages: [],
    to: (address) => sink.messages.filter((message) => addressesOf(message).includes(address)),
    refuse: () => undefined,
    beforeTaking: async () => {},
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };

  async function take(raw: Buffer, clientName: string): Promise<void> {
    const message = await simpleParser(raw);
    await sink.beforeTaking(message);
    sink.messages.push(Object.assign(message, { raw: raw.toString('latin1'), clientName }));
  }

  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  sink.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  t.teardown(sink.stop);
  return sink;
}

function addressesOf({ to }: ParsedMail): (string | undefined)[] {
  return [to ?? []].flat().flatMap(({ value }) => value.map(({ address }) => address));
}

import { hostname } from 'node:os';
import t from 'tap';
import { judgeFailure, openSmtp } from '../../../control/subscribers/mail/smtp.js';
import { startSmtpSink } from '../../support/smtp-sink.js';

t.test('a URL that cannot be used is refused without being repeated', async (t) => {
  for (const [url, sentence] of [
    ['smtp:user:secret@mx.example', 'names no host'],
    [
      'smtp://user:secret@mx.example?sender=a@example.com',
      'has the parameter "sender"; known are from, name and tls',
    ],
    ['smtp://user:secret@mx.example?from=nobody', 'has a "from" that is no email address'],
    ['smtps://user:secret@mx.example?tls=off', 'has a "tls" that is not "insecure"'],
  ] as const) {
    t.throws(() => openSmtp(url), { message: `HEARTLINE_SMTP_URL ${sentence}.` });
  }
  const badName = 'has a "name" that is neither a host name nor an address such as [192.0.2.1]';
  for (const name of [
    '',
    'a b',
    'x%0D%0AMAIL',
    '-a',
    'a-',
    'a..b',
    'a.',
    '192.0.2.256]',
    '[192.0.2.256]',
    '[2001:db8::1]',
    '[IPv6:192.0.2.1]',
    'a_b',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(127)}b`,
  ]) {
    t.throws(
      () => openSmtp(`smtp://mx.example?name=${name}`),
      { message: `HEARTLINE_SMTP_URL ${badName}.` },
      name,
    );
  }
  t.equal(openSmtp('smtp://mx.example').from, undefined);
  t.equal(openSmtp('smtps://u:p@mx.example:465/?from=Status@Example.com').from, 'status@example.com');
});

t.test('the client names itself by the URL, else by the machine', async (t) => {
  const sink = await startSmtpSink(t);
  const usual = hostname().includes('.') ? hostname() : '[127.0.0.1]';
  for (const [parameter, expected] of [
    ['', usual],
    ['?name=status.example.com', 'status.example.com'],
    ['?name=[192.0.2.7]', '[192.0.2.7]'],
    ['?name=[IPv6:2001:db8::7]&tls=insecure', '[IPv6:2001:db8::7]'],
  ] as const) {
    const smtp = openSmtp(sink.url + parameter);
    t.teardown(() => smtp.close());
    const message = {
      ...{
        messageId: 'one@example.com',
        from: { name: 'Acme', address: 'status@example.com' },
        to: 'ann@example.com',
      },
      ...{ date: new Date(), subject: 'x', text: 'x', html: 'x', headers: {} },
    };
    await smtp.send(message, new AbortController().signal);
    t.equal(sink.messages.at(-1)?.clientName.toLowerCase(), expected.toLowerCase(), parameter);
  }
});

t.test('only a refusal of the recipient is a bounce', async (t) => {
  const refusal = { code: 'EENVELOPE', command: 'RCPT TO' };
  for (const [fields, bounced] of [
    [{ response: '550 5.1.1 Unknown' }, true],
    [{ response: '550-5.1.1 Unknown' }, true],
    [{ response: '551 not local' }, true],
    [{ response: '553 5.1.3 Bad address' }, true],
    [{ response: '550 5.1.8 Bad sender domain' }, false],
    [{ response: '550 5.7.26 Unauthenticated' }, false],
    [{ response: '552 5.2.2 Full' }, false],
    [{ response: '554 Refused' }, false],
    [{ response: '450 4.1.1 Unknown' }, false],
    [{ response: '550 5.1.1 Unknown', command: 'MAIL FROM' }, false],
    [{ response: '550 5.1.1 Unknown', command: 'DATA', code: 'EMESSAGE' }, false],
    [{ response: undefined, command: 'CONN', code: 'ECONNECTION' }, false],
  ] as const) {
    const responseCode = Number(fields.response?.slice(0, 3));
    const error = Object.assign(new Error('failed'), { ...refusal, responseCode, ...fields });
    t.same(judgeFailure(error), { bounced, reason: fields.response ?? 'failed' });
  }
});

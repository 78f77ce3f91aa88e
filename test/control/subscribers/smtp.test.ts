import t from 'tap';
import { judgeFailure, openSmtp } from '../../../control/subscribers/mail/smtp.js';

t.test('a URL that cannot be used is refused without being repeated', async (t) => {
  for (const [url, sentence] of [
    ['smtp:user:secret@mx.example', 'names no host'],
    [
      'smtp://user:secret@mx.example?sender=a@example.com',
      'has the parameter "sender"; known are from and tls',
    ],
    ['smtp://user:secret@mx.example?from=nobody', 'has a "from" that is no email address'],
    ['smtps://user:secret@mx.example?tls=off', 'has a "tls" that is not "insecure"'],
  ] as const) {
    t.throws(() => openSmtp(url), { message: `HEARTLINE_SMTP_URL ${sentence}.` });
  }
  t.equal(openSmtp('smtp://mx.example').from, undefined);
  t.equal(openSmtp('smtps://u:p@mx.example:465/?from=Status@Example.com').from, 'status@example.com');
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

import t from 'tap';
import {
  composeGatewayRequest,
  findFormMistake,
  secretsOfGateway,
} from '../../../control/contact-ways/gateway.js';

const twilio = {
  url: 'https://api.twilio.com/2010-04-01/Accounts/AC0123456789/Calls.json',
  form: { To: '{to}', From: '+15005550006', Twiml: '<Response><Say>{text_xml}</Say></Response>' },
  headers: { authorization: `Basic ${Buffer.from('AC0123456789:auth-token').toString('base64')}` },
};
const values = { to: '+4930123456', text: 'Ben & Jerry: “<down>”', severity: 'page' } as const;

t.test('the fields of the form are filled, and its headers are sent', async (t) => {
  const { url, headers, body } = composeGatewayRequest(twilio, values);
  t.equal(url, twilio.url);
  t.match(headers, { ...twilio.headers, 'content-type': 'application/x-www-form-urlencoded' });
  t.strictSame(Object.fromEntries(new URLSearchParams(body)), {
    ...{ To: '+4930123456', From: '+15005550006' },
    Twiml: '<Response><Say>Ben &amp; Jerry: “&lt;down&gt;”</Say></Response>',
  });
});

t.test(
  'a text is filled in as it is: placeholders in it stay, and so do signs of replacements',
  async (t) => {
    const form = { to: '{to}', message: '{severity}: {text}' };
    const text = `{to} {secret} $& $1 \\ "`;
    const { body } = composeGatewayRequest(
      { url: 'https://gw.example.com', form, headers: {} },
      { ...values, text },
    );
    t.equal(new URLSearchParams(body).get('message'), `page: ${text}`);
  },
);

t.test('a form without a number or a text, and one with an unknown placeholder, is refused', async (t) => {
  t.equal(findFormMistake(twilio.form), undefined);
  t.match(findFormMistake({ a: '{text}' }), /\{to\}/);
  t.match(findFormMistake({ a: '{to}' }), /\{text\} or \{text_xml\}/);
  t.match(findFormMistake({ a: '{to}{text}{Body}' }), /placeholder \{Body\}; known are/);
  t.match(findFormMistake({ a: '{to}{text}{constructor}' }), /placeholder \{constructor\}/);
});

t.test(
  'its secrets are the headers, what they encode, fixed fields, and the parts of its path',
  async (t) => {
    const form = { to: '{to}', text: '{text}', apikey: 'secret-key', flash: 'no' };
    const secrets = secretsOfGateway({ ...twilio, form });
    for (const secret of ['AC0123456789', 'auth-token', 'AC0123456789:auth-token', 'secret-key'])
      t.ok(secrets.includes(secret), secret);
    t.ok(secrets.includes(twilio.headers.authorization));
    t.notOk(secrets.includes('no'), 'a short value is no secret');
    t.notOk(secrets.some((secret) => secret.includes('{')));
  },
);

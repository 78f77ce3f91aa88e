import t from 'tap';
import { createOidcProvider, OidcError } from '../../../control/people/index.js';
import { systemClock } from '../../../lib/clock.js';
import { startReceiver } from '../../support/receiver.js';

const [issuer, other] = [await startReceiver(t), await startReceiver(t)];
const settings = {
  ...{
    issuer: issuer.url,
    clientId: 'x',
    clientSecret: 'y',
    groupsClaim: 'groups',
    scopes: 'openid',
    trustsEmail: false,
    grants: [],
  },
};
issuer.answer = () => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    issuer: issuer.url,
    authorization_endpoint: `${issuer.url}/authorize`,
    token_endpoint: `${other.url}/token`,
    jwks_uri: `${issuer.url}/keys`,
  }),
});

async function finish(allowPrivateAddresses: boolean): Promise<unknown> {
  const provider = createOidcProvider(settings, { clock: systemClock, allowPrivateAddresses });
  const { attempt } = await provider.begin('http://127.0.0.1/manage/sign-in/answer');
  const back = new URL(`http://127.0.0.1/manage/sign-in/answer?code=1&state=${attempt.state}`);
  return provider.finish(back, attempt).catch((error: unknown) => error);
}

t.test('the host of the issuer may be private, another one that it names may not', async (t) => {
  const error = await finish(false);
  t.ok(error instanceof OidcError && error.kind === 'down');
  t.equal(other.received.length, 0);
  t.ok(issuer.received.length > 0);
});

t.test('unless private addresses are allowed', async (t) => {
  await finish(true);
  t.equal(other.received.length, 1);
  t.match(other.received[0]?.body, /grant_type=authorization_code/);
  t.match(other.received[0]?.body, /code_verifier=/);
});

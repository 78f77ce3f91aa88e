import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { Test } from 'tap';
import type { OidcSettings } from '../../control/people/index.js';
import { type Received, type Reply, startReceiver } from './receiver.js';

type Claims = Record<string, unknown>;

/** An identity provider of its own, over real HTTP, which a test can make lie. */
export type TestProvider = {
  settings: OidcSettings;
  /** Claims of the next tokens besides the usual ones; `undefined` leaves one out. */
  claims: Claims;
  /** Claims that the endpoint about the user answers; without any there is no such endpoint. */
  userInfo: Claims | undefined;
  /** How the next tokens are signed. */
  algorithm: 'RS256' | 'ES256' | 'HS256' | 'none' | 'other key';
  /** Where the secret of the client must be; anywhere while absent. */
  takesSecretIn: 'body' | 'header' | 'nowhere' | undefined;
  /** Requests to the endpoint for tokens. */
  exchanges: URLSearchParams[];
  /** An answer in place of all others. */
  fault: Reply | undefined;
  /** Agrees to the request that a browser was sent with, and returns where the browser goes. */
  agree(location: string): string;
};

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
const clientSecret = 'a secret that both sides know, of some length';

export async function startTestProvider(t: Test): Promise<TestProvider> {
  const receiver = await startReceiver(t);
  const codes = new Map<
    string,
    { nonce: string | null; challenge: string | null; redirectUri: string | null }
  >();
  const issuer = receiver.url;
  const provider: TestProvider = {
    settings: {
      ...{ issuer, clientId: 'heartline', clientSecret, groupsClaim: 'groups', grants: [] },
      ...{ scopes: 'openid email profile', trustsEmail: false },
    },
    userInfo: undefined,
    claims: {},
    algorithm: 'RS256',
    takesSecretIn: undefined,
    exchanges: [],
    fault: undefined,
    agree(location) {
      const asked = new URL(location).searchParams;
      const code = randomUUID();
      codes.set(code, {
        nonce: asked.get('nonce'),
        challenge: asked.get('code_challenge'),
        redirectUri: asked.get('redirect_uri'),
      });
      const back = new URL(asked.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({ code, state: asked.get('state') ?? '', iss: issuer }).toString();
      return back.href;
    },
  };

  const answerJson = (body: object, status = 200): Reply => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  function exchange(body: string, authorization: string | undefined): Reply {
    const sent = new URLSearchParams(body);
    provider.exchanges.push(sent);
    const secretIn = authorization === undefined ? 'body' : 'header';
    if (provider.takesSecretIn !== undefined && provider.takesSecretIn !== secretIn) {
      const reply = { status: 401, headers: { 'www-authenticate': 'Basic realm="clients"' } };
      return secretIn === 'header' ? reply : answerJson({ error: 'invalid_client' }, 401);
    }
    const begun = codes.get(sent.get('code') ?? '');
    codes.delete(sent.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(sent.get('code_verifier') ?? '')
      .digest('base64url');
    if (begun?.challenge !== challenge || begun.redirectUri !== sent.get('redirect_uri')) {
      return answerJson({ error: 'invalid_grant' }, 400);
    }
    const now = Math.floor(Date.now() / 1000);
    const usual = {
      iss: issuer,
      aud: 'heartline',
      sub: 'person-1',
      nonce: begun.nonce,
      iat: now,
      exp: now + 300,
    };
    const claims = {
      ...usual,
      email: 'ann@example.com',
      email_verified: true,
      name: 'Ann',
      ...provider.claims,
    };
    const id_token = makeToken(provider.algorithm, claims);
    return answerJson({ access_token: 'opaque', token_type: 'bearer', expires_in: 300, id_token });
  }
  receiver.answer = ({ path, body, headers }: Received): Reply => {
    if (provider.fault !== undefined) return provider.fault;
    if (path === '/.well-known/openid-configuration') {
      return answerJson({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        ...(provider.userInfo !== undefined && { userinfo_endpoint: `${issuer}/userinfo` }),
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256', 'none'],
        authorization_response_iss_parameter_supported: true,
        code_challenge_methods_supported: ['S256'],
      });
    }
    if (path === '/keys') {
      const key = (kid: string, alg: string, pair: { publicKey: KeyObject }) => ({
        ...pair.publicKey.export({ format: 'jwk' }),
        ...{ kid, alg, use: 'sig' },
      });
      return answerJson({ keys: [key('rsa', 'RS256', rsa), key('ec', 'ES256', ec)] });
    }
    if (path === '/userinfo' && provider.userInfo !== undefined) return answerJson(provider.userInfo);
    return path === '/token' ? exchange(body, headers['authorization']) : { status: 404 };
  };
  return provider;
}

function makeToken(algorithm: TestProvider['algorithm'], claims: Claims): string {
  const alg = algorithm === 'other key' ? 'RS256' : algorithm;
  const kid = alg === 'ES256' ? 'ec' : 'rsa';
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg, typ: 'JWT', kid })}.${part(claims)}`;
  return `${signed}.${signatureOf(algorithm, signed)}`;
}

function signatureOf(algorithm: TestProvider['algorithm'], signed: string): string {
  const bytes = Buffer.from(signed);
  switch (algorithm) {
    case 'none':
      return '';
    case 'HS256':
      return createHmac('sha256', clientSecret).update(signed).digest('base64url');
    case 'ES256':
      return sign('sha256', bytes, { key: ec.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');
    case 'RS256':
      return sign('sha256', bytes, rsa.privateKey).toString('base64url');
    case 'other key':
      return sign('sha256', bytes, foreign.privateKey).toString('base64url');
  }
}

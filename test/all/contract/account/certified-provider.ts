import { generateKeyPairSync } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import Provider, { type ClientAuthMethod, type Configuration } from 'oidc-provider';
import type { Test } from 'tap';
import { openAccountBrowser, valueIn } from '../../../support/account-pages.js';
import { serveUntilEnd } from '../../../support/listen.js';

export type Claims = Record<string, unknown>;

type Settings = Configuration & {
  /** Addresses at which people may come back. */
  redirectUris: string[];
  /** How the client proves that it is the client. */
  authMethod?: ClientAuthMethod;
  /** Claims about whoever signs in, besides the usual ones; `undefined` leaves one out. */
  person?: Claims;
};

/** The certified `oidc-provider`, with the pages of its own for signing in and consenting. */
export type CertifiedProvider = {
  issuer: string;
  /** Starts it anew, as an operator does after a change of its settings. Who comes back to `redirectUris` may sign in. */
  configure(settings: Settings): void;
  /**
   * Signs in as `login` where a browser was sent, and agrees or refuses when asked for consent. Returns the path to which
   * the browser comes back.
   */
  walk(location: string, login: string, answer?: 'agrees' | 'refuses'): Promise<string>;
};

export const clientSecret = 'a secret that both sides know, of some length';

/** A new key for signatures. Its id is its thumbprint, so two keys have two ids. */
export function makeSigningKey(): NonNullable<Configuration['jwks']>['keys'][number] {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kty: 'RSA', use: 'sig', alg: 'RS256' };
}

export async function startCertifiedProvider(t: Test): Promise<CertifiedProvider> {
  // It warns about what is for tests alone, such as its own pages, every time it starts.
  t.capture(console, 'warn');
  t.capture(console, 'info');
  let answer: RequestListener = (_, response) => response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  const issuer = await serveUntilEnd(t, server);
  const key = makeSigningKey();
  return {
    issuer,
    configure({ redirectUris, authMethod = 'client_secret_basic', person = {}, ...configuration }) {
      const provider = new Provider(issuer, {
        clients: [
          {
            ...{ client_id: 'heartline', client_secret: clientSecret },
            ...{ redirect_uris: redirectUris, token_endpoint_auth_method: authMethod },
          },
        ],
        jwks: { keys: [key] },
        claims: {
          openid: ['sub'],
          email: ['email', 'email_verified'],
          profile: ['name', 'groups', 'hasgroups'],
          groups: ['groups', 'hasgroups', 'realm_access'],
        },
        findAccount: (_, login) => ({
          accountId: login,
          claims: () => ({ sub: login, email: `${login}@example.com`, name: login, ...person }),
        }),
        ...configuration,
      });
      const handle = provider.callback();
      answer = (request, response) => void handle(request, response);
    },
    async walk(location, login, answer = 'agrees') {
      const browser = openAccountBrowser({ url: issuer });
      let at = new URL(location);
      while (at.origin === issuer) {
        const path = at.pathname + at.search;
        const page = await browser.get(path);
        let next = page.headers.get('location');
        if (next === null) {
          const prompt = valueIn(page.html, 'prompt');
          if (prompt === undefined) throw new Error(`The provider answers ${page.status}: ${page.html}`);
          const isRefused = prompt === 'consent' && answer === 'refuses';
          const form = { prompt, login, password: 'any' };
          const sent = isRefused ? browser.get(`${path}/abort`) : browser.post(path, form);
          next = (await sent).headers.get('location');
        }
        at = new URL(next ?? '', issuer);
      }
      return at.pathname + at.search;
    },
  };
}

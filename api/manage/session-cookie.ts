import type { Context } from 'koa';
import { sessionMs } from '../../control/people/index.js';
import type { OriginParser } from '../request-origin.js';

/** The prefix makes browsers refuse the cookie from plain HTTP, from other hosts and with another path (RFC 6265bis). */
const secureName = '__Host-heartline';
/** Browsers store no secure cookie from plain HTTP, as on a machine of one's own. */
const plainName = 'heartline-session';

/** The cookie that holds the token of a session. */
export type SessionCookies = {
  /** The token in the cookies of a request; `undefined` without one. */
  read(ctx: Pick<Context, 'req'>): string | undefined;
  /** Gives the browser the token of its session. */
  set(ctx: Context, token: string): void;
  /** Removes the token from the browser. */
  clear(ctx: Context): void;
};

/**
 * On HTTPS only the cookie with the prefix counts, because a site on a host beside this one can set the other. A request
 * came by HTTPS when the address of the service says so, or a trusted proxy does.
 */
export function createSessionCookies({
  parseOrigin,
  baseUrl,
}: {
  parseOrigin: OriginParser;
  baseUrl(): string;
}): SessionCookies {
  const isSecure = (ctx: Pick<Context, 'req'>) =>
    baseUrl().startsWith('https:') || parseOrigin(ctx).isSecure === true;
  const write = (ctx: Context, token: string, seconds: number) => {
    const name = isSecure(ctx) ? `${secureName}=${token}; Secure` : `${plainName}=${token}`;
    ctx.append('set-cookie', `${name}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}`);
  };
  return {
    read(ctx) {
      const form = isSecure(ctx) ? formOf(secureName) : formOf(plainName);
      return form.exec(ctx.req.headers.cookie ?? '')?.[1];
    },
    set: (ctx, token) => write(ctx, token, sessionMs / 1000),
    clear: (ctx) => write(ctx, '', 0),
  };
}

function formOf(name: string): RegExp {
  return new RegExp(`(?:^|;\\s*)${name}=([0-9A-Za-z]{43})(?:;|$)`);
}

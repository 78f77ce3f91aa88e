import type { Context } from 'koa';
import type { Clock } from '../../../lib/clock.js';
import type { PageId } from '../../../lib/ids.js';
import { signToken, verifyToken } from '../../../lib/secrets/secret-box.js';
import { hourMs, minuteMs } from '../../../lib/times.js';
import type { OriginParser } from '../../request-origin.js';
import type { PublicPage } from '../public-cache.js';

/** Why a browser may read a private page: it knows the password, or the person runs the page. */
export type ReaderKind = 'password' | 'member';

/** People who run a page may lose their role; they come back through the dashboard. */
const lastsMs: Readonly<Record<ReaderKind, number>> = { password: 30 * 24 * hourMs, member: hourMs };

/** A pass leads from the dashboard to a page on another host. */
const passMs = minuteMs;

/** The prefix makes browsers refuse the cookie from plain HTTP and from other hosts (RFC 6265bis). */
const secureName = '__Host-heartline-reader';
const plainName = 'heartline-reader';

type Deps = { secretKey: string; clock: Clock; parseOrigin: OriginParser; baseUrl(): string };

/** The purpose of the token of a pass. */
export const passOf = (id: PageId): string => `page-pass ${id}`;

/** Makes a pass to a page, which is for one minute. */
export function makePass({ secretKey, clock }: Pick<Deps, 'secretKey' | 'clock'>, id: PageId): string {
  return signToken(secretKey, passOf(id), String(clock.now() + passMs));
}

/** A new password takes the place of the old one in the purpose, so that cookies of the old one end. */
const purposeOf = ({ id, passwordTag }: PublicPage, kind: ReaderKind): string =>
  `page-reader ${kind} ${id} ${kind === 'password' ? passwordTag : ''}`;

/** The cookie of a browser that may read a private page. It holds nothing but when it ends, and a MAC. */
export function createReaderCookies({ secretKey, clock, parseOrigin, baseUrl }: Deps): {
  holds(ctx: Context, page: PublicPage): boolean;
  give(ctx: Context, page: PublicPage, kind: ReaderKind): void;
} {
  const isSecure = (ctx: Context) => baseUrl().startsWith('https:') || parseOrigin(ctx).isSecure === true;
  return {
    holds(ctx, page) {
      const name = isSecure(ctx) ? secureName : plainName;
      const form = new RegExp(`(?:^|;\\s*)${name}=(password|member)-([\\w.-]{20,100})(?:;|$)`);
      const [, kind, token = ''] = form.exec(ctx.req.headers.cookie ?? '') ?? [];
      if (kind !== 'password' && kind !== 'member') return false;
      if (kind === 'password' && page.passwordTag === null) return false;
      return Number(verifyToken(secretKey, purposeOf(page, kind), token)) > clock.now();
    },
    give(ctx, page, kind) {
      const token = signToken(secretKey, purposeOf(page, kind), String(clock.now() + lastsMs[kind]));
      const pair = isSecure(ctx) ? `${secureName}=${kind}-${token}; Secure` : `${plainName}=${kind}-${token}`;
      const seconds = lastsMs[kind] / 1000;
      ctx.append('set-cookie', `${pair}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}`);
    },
  };
}

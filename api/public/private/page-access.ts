import { hash } from 'node:crypto';
import type { Context } from 'koa';
import { permissionsOfRole } from '../../../contract/permissions.js';
import { loadReaderPassword } from '../../../control/pages/index.js';
import type { SignedIn } from '../../../control/people/index.js';
import type { Clock } from '../../../lib/clock.js';
import type { PageId } from '../../../lib/ids.js';
import { createLru } from '../../../lib/lru.js';
import type { Passwords } from '../../../lib/secrets/passwords.js';
import { verifyToken } from '../../../lib/secrets/secret-box.js';
import { ServiceError, storeUnavailable } from '../../../lib/service-error.js';
import { minuteMs } from '../../../lib/times.js';
import { createWindowCounter, networkOf } from '../../../lib/window-counter.js';
import type { Sql } from '../../../sql/open-postgres.js';
import type { FindSession } from '../../manage/find-session.js';
import { createSessionCookies } from '../../manage/session-cookie.js';
import type { OriginParser } from '../../request-origin.js';
import type { PublicPage } from '../public-cache.js';
import { createReaderCookies, passOf, type ReaderKind } from './reader-cookie.js';

export type PageAccessDeps = {
  sql: Sql;
  clock: Clock;
  secretKey: string;
  passwords: Passwords;
  findSession: FindSession;
  parseOrigin: OriginParser;
  baseUrl(): string;
};

/** Who may read private pages. */
export type PageAccess = {
  /**
   * Whether a request may read a page: anybody may read a public one.
   *
   * @throws ServiceError `rateLimited` for a client that guesses passwords; `storeUnavailable`
   */
  mayRead(ctx: Context, page: PublicPage): Promise<boolean>;
  /**
   * Whether this is the password of the readers of a page.
   *
   * @throws ServiceError `rateLimited` with the seconds to wait, `overloaded`, `storeUnavailable`
   */
  isPassword(ctx: Context, page: PublicPage, password: string): Promise<boolean>;
  /** Lets the browser read the page from now on, for some hours. */
  admit(ctx: Context, page: PublicPage, kind: ReaderKind): void;
};

/** Passwords that a network may try, and all networks together. */
const triesPerNetwork = 20;
const triesPerPage = 500;
const windowMs = 15 * minuteMs;
const keysMax = 20_000;
/** Programs send the password with each request; hashing it each time would cost a sixth of a second. */
const verifiedMax = 10_000;

export function createPageAccess(deps: PageAccessDeps): PageAccess {
  const { sql, clock, passwords, findSession, parseOrigin } = deps;
  const sessions = createSessionCookies(deps);
  const cookies = createReaderCookies(deps);
  const networks = createWindowCounter<string>({ clock, windowMs, keysMax });
  const pages = createWindowCounter<PageId>({ clock, windowMs, keysMax });
  const verified = createLru<string, true>(verifiedMax);

  /** A client over its own limit does not count for the page, so that nobody keeps the others out alone. */
  function countTry(address: string, id: PageId): void {
    const msLeft =
      networks.count(`${id} ${networkOf(address)}`, triesPerNetwork) ?? pages.count(id, triesPerPage);
    if (msLeft === undefined) return;
    throw new ServiceError('rateLimited', {
      message: 'Too many passwords were tried; wait and retry.',
      retryAfterSeconds: Math.max(1, Math.ceil(msLeft / 1000)),
    });
  }

  async function isPassword(
    ctx: Context,
    { id, passwordTag }: PublicPage,
    password: string,
  ): Promise<boolean> {
    if (passwordTag === null) return false;
    const key = hash('sha256', `${id} ${passwordTag} ${password}`, 'base64');
    if (verified.has(key)) return true;
    const { clientAddress } = parseOrigin(ctx);
    countTry(clientAddress, id);
    const stored = await loadReaderPassword(sql, id).catch((cause: unknown) => {
      throw storeUnavailable(cause);
    });
    const isRight = await passwords.matches(password, stored, clientAddress);
    if (isRight) verified.set(key, true);
    return isRight;
  }

  async function isSignedIn(ctx: Context, page: PublicPage): Promise<boolean> {
    const token = sessions.read(ctx);
    if (token === undefined) return false;
    const person = await findSession(token, parseOrigin(ctx).clientAddress).catch((cause: unknown) => {
      throw cause instanceof ServiceError ? cause : storeUnavailable(cause);
    });
    return person !== undefined && isReader(person, page);
  }

  return {
    isPassword,
    async mayRead(ctx, page) {
      if (!page.isPrivate || page.isAllowed(parseOrigin(ctx).clientAddress)) return true;
      if (cookies.holds(ctx, page)) return true;
      const password = basicPasswordOf(ctx);
      if (password !== undefined) return isPassword(ctx, page, password);
      return isSignedIn(ctx, page);
    },
    admit: (ctx, page, kind) => cookies.give(ctx, page, kind),
  };
}

/** Whether a person may read a page, as those who run it do. */
export function isReader(
  { isAdmin, roles }: SignedIn,
  { id, slug }: Pick<PublicPage, 'id' | 'slug'>,
): boolean {
  const held = roles.get(slug);
  return isAdmin || (held?.pageId === id && permissionsOfRole[held.role].has('telemetry.read'));
}

/** The password of HTTP Basic (RFC 7617), with any user name; feed readers and curl send it. */
function basicPasswordOf(ctx: Context): string | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]{1,1000})$/i.exec(ctx.get('authorization')) ?? [];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const at = pair.indexOf(':');
  return at === -1 ? undefined : pair.slice(at + 1);
}

/** The id of the page that a pass from the dashboard opens, if it is one for this page and has not ended. */
export function isPass(
  { secretKey, clock }: Pick<PageAccessDeps, 'secretKey' | 'clock'>,
  page: Pick<PublicPage, 'id'>,
  pass: string,
): boolean {
  const endsAt = Number(verifyToken(secretKey, passOf(page.id), pass));
  return endsAt > clock.now();
}

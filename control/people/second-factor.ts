import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';
import type { Clock } from '../../lib/clock.js';
import type { UserId, UserSessionId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import type { Passwords } from '../../lib/secrets/passwords.js';
import { hashSecret } from '../../lib/secrets/secrets.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { openColumn, sealColumn } from '../../sql/sealed-columns.js';
import type { Actor } from '../audit/index.js';
import { confirmPassword } from './confirm-password.js';
import { type Credentials, findCredentials } from './credentials.js';
import { endSessions, hasSession } from './sessions.js';
import { type ChangeDeps, lockUser, recordUser } from './user.js';

const recoveryCodesCount = 10;
/** Codes of the steps beside the current one count, because clocks differ. */
const tolerance = 1;

/** The secret that a person enters into an authenticator app. Nothing shows it again. */
export type BegunTotp = {
  /** In base 32, for people who cannot scan. */
  secret: string;
  /** `otpauth://totp/…`. */
  uri: string;
  /** A QR code of the URI. */
  svg: string;
};

type Sealed = { secretKey: string; log: Pick<Log, 'warn'> };

type SealedDeps = { sql: Sql; clock: Clock; by: Actor } & Sealed;

/**
 * Makes the secret of an authenticator app. Signing in asks for no code before confirmTotp(). Begun again, it makes
 * another secret. The person proves with the password, where there is one, that this is no one else with the session.
 *
 * @throws ServiceError `conflict` when the person has a confirmed app, `notAllowed` for a wrong password,
 *   `tooManySignIns`, `overloaded`, `notFound`
 */
export async function beginTotp(
  deps: Omit<SealedDeps, 'log'> & { passwords: Passwords },
  { userId, password, address }: { userId: UserId; password?: string | undefined; address: string },
): Promise<BegunTotp> {
  const { sql, clock, by, secretKey } = deps;
  const proof = await confirmPassword(deps, { userId, password, address });
  await proof.forgive();
  const secret = new Secret({ size: 20 });
  return inTransaction(sql, async (tx) => {
    const user = await lockUser(tx, userId);
    if (user.hasTotp)
      throw new ServiceError('conflict', { message: 'An app is set up already; remove it first.' });
    const sealed = sealColumn(secretKey, 'totp', userId, secret.hex);
    await tx`update users set totp_secret = ${sealed}, totp_last_step = null where id = ${userId}`;
    await recordUser(tx, { by, now: clock.now() }, 'update', user, user, { totpBegun: true });
    const uri = totpOf(secret, user.email).toString();
    return { secret: secret.base32, uri, svg: renderSVG(uri) };
  });
}

/**
 * Confirms the app that was begun with one of its codes: from now on signing in asks for one. Returns ten recovery codes,
 * each of which signs in once in place of a code. Nothing shows them again. The other sessions of the person end, because
 * they began without a code.
 *
 * @throws ServiceError `invalidBody` for a wrong code, `conflict` when nothing was begun or it is confirmed already,
 *   `signInRequired` when the session has ended, `notFound`
 */
export async function confirmTotp(
  { sql, clock, by, ...sealed }: SealedDeps,
  { userId, sessionId, code }: { userId: UserId; sessionId: UserSessionId; code: string },
): Promise<{ recoveryCodes: string[] }> {
  const recoveryCodes = Array.from({ length: recoveryCodesCount }, newRecoveryCode);
  await inTransaction(sql, async (tx) => {
    const now = clock.now();
    const credentials = await findCredentials(tx, { id: userId }, 'lock');
    if (credentials === undefined) throw new ServiceError('notFound');
    const { user, totpSecret } = credentials;
    // The request may have begun before a link in an email, or another browser, ended its session.
    if (!(await hasSession(tx, { userId, sessionId }))) throw new ServiceError('signInRequired');
    if (user.hasTotp || totpSecret === null) {
      throw new ServiceError('conflict', { message: 'No app waits for its first code; begin again.' });
    }
    const step = findStep(sealed, credentials, plainCode(code), now);
    if (step === undefined) throw wrongCode();
    await tx`update users set totp_confirmed_at = ${new Date(now)}, totp_last_step = ${step} where id = ${userId}`;
    await tx`delete from recovery_codes where user_id = ${userId}`;
    const hashes = recoveryCodes.map((recovery) => hashSecret(plainCode(recovery)));
    await tx`
      insert into recovery_codes (user_id, code_hash)
      select ${userId}, decode(hash, 'hex') from unnest(${hashes}::text[]) as hash`;
    await endSessions(tx, { by, now }, userId, tx`s.id <> ${sessionId}`);
    await recordUser(tx, { by, now }, 'update', user, { ...user, hasTotp: true });
  });
  return { recoveryCodes };
}

/**
 * Removes the app and the recovery codes of a person, who proves with the password, where there is one, and with a code
 * that this is no one else at the person's browser.
 *
 * @throws ServiceError `notAllowed` for a wrong password or code, `conflict` without an app, `tooManySignIns`,
 *   `overloaded`, `notFound`
 */
export async function removeTotp(
  deps: SealedDeps & { passwords: Passwords },
  {
    userId,
    password,
    code,
    address,
  }: { userId: UserId; password?: string | undefined; code: string; address: string },
): Promise<void> {
  const proof = await confirmPassword(deps, { userId, password, address });
  try {
    if (!proof.user.hasTotp) throw new ServiceError('conflict', { message: 'There is no app to remove.' });
    await inTransaction(deps.sql, async (tx) => {
      const now = deps.clock.now();
      const credentials = await findCredentials(tx, { id: userId }, 'lock');
      if (credentials === undefined) throw new ServiceError('notFound');
      if (!(await spendCode(tx, deps, { credentials, code, now }))) {
        throw new ServiceError('notAllowed', { code: 'totp.code_wrong', message: 'The code is wrong.' });
      }
      await eraseTotp(tx, userId);
      const { user } = credentials;
      await recordUser(tx, { by: deps.by, now }, 'update', user, { ...user, hasTotp: false });
    });
  } catch (error) {
    await proof.fail();
    throw error;
  }
  await proof.forgive();
}

/**
 * Removes the app of a person who has lost it, as those do who run the installation.
 *
 * @throws ServiceError `notFound`
 */
export async function clearTotp({ sql, clock, by }: ChangeDeps, userId: string): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const user = await lockUser(tx, userId);
    await eraseTotp(tx, user.id);
    await recordUser(tx, { by, now: clock.now() }, 'update', user, { ...user, hasTotp: false });
  });
}

/** Removes the app, begun or confirmed, and the recovery codes of a user in a transaction. */
export async function eraseTotp(tx: Transaction, userId: UserId): Promise<void> {
  await tx`
    update users set totp_secret = null, totp_confirmed_at = null, totp_last_step = null where id = ${userId}`;
  await tx`delete from recovery_codes where user_id = ${userId}`;
}

/**
 * Uses up a code of the app or a recovery code in a transaction. Returns false for a wrong one, and for one that was used:
 * each step counts once, and none before it counts afterwards.
 */
export async function spendCode(
  tx: Transaction,
  sealed: Sealed,
  { credentials, code, now }: { credentials: Credentials; code: string; now: number },
): Promise<boolean> {
  const { user, totpSecret } = credentials;
  const plain = plainCode(code);
  if (!user.hasTotp || totpSecret === null) return false;
  if (!/^\d{6}$/.test(plain)) {
    const used = await tx`
      update recovery_codes set used_at = ${new Date(now)}
      where user_id = ${user.id} and code_hash = decode(${hashSecret(plain)}, 'hex') and used_at is null`;
    return used.count > 0;
  }
  const step = findStep(sealed, credentials, plain, now);
  if (step === undefined) return false;
  const used = await tx`
    update users set totp_last_step = ${step}
    where id = ${user.id} and totp_confirmed_at is not null and (totp_last_step is null or totp_last_step < ${step})`;
  return used.count > 0;
}

/** Returns the step of a code. Returns `undefined`, and logs a line, when another secret key has sealed the secret. */
function findStep(
  { secretKey, log }: Sealed,
  { user, totpSecret }: Credentials,
  code: string,
  now: number,
): number | undefined {
  if (totpSecret === null) return undefined;
  let secret: Secret;
  try {
    secret = Secret.fromHex(openColumn(secretKey, 'totp', user.id, totpSecret));
  } catch {
    log.warn(
      { user: user.id },
      'The secret of an authenticator app cannot be opened with this HEARTLINE_SECRET_KEY. Recovery codes still work.',
    );
    return undefined;
  }
  return findTotpStep(secret, code, now);
}

/** Returns the step around `now` that has this code, as the number of steps since the epoch; `undefined` for none. */
export function findTotpStep(secret: Secret, code: string, now: number): number | undefined {
  const totp = totpOf(secret);
  const away = totp.validate({ token: code, timestamp: now, window: tolerance });
  return away === null ? undefined : totp.counter({ timestamp: now }) + away;
}

/** RFC 6238 with the parameters that every authenticator app takes: SHA-1, six digits, steps of 30 seconds. */
function totpOf(secret: Secret, label = ''): TOTP {
  return new TOTP({ issuer: 'Heartline', label, secret, algorithm: 'SHA1', digits: 6, period: 30 });
}

/** People type codes with the spaces and dashes that they see. */
function plainCode(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toLowerCase();
}

/** 80 random bits in base 32, in four groups: too many to guess from their hash. */
function newRecoveryCode(): string {
  return (new Secret({ size: 10 }).base32.toLowerCase().match(/.{4}/g) ?? []).join('-');
}

function wrongCode(): ServiceError {
  return new ServiceError('invalidBody', { message: '/code is wrong; take the one that the app shows now.' });
}

import { randomInt } from 'node:crypto';
import { contactWayCodeEvent, contactWayLimits } from '../../contract/manage/contact-ways.js';
import { type ContactWayId, newId, type UserId } from '../../lib/ids.js';
import { signToken } from '../../lib/secrets/secret-box.js';
import { hashSecret } from '../../lib/secrets/secrets.js';
import { ServiceError } from '../../lib/service-error.js';
import { minuteMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import { textsOf } from '../../web/texts/texts-of.js';
import { recordWay } from './audit-way.js';
import { countSend } from './count-sends.js';
import { type ListedWay, loadWay, lockWay } from './find-ways.js';
import { sendNow } from './send-now.js';
import { requireKind } from './sender.js';
import type { WayDeps, WayOwner } from './way-input.js';

const digits = 6;

/**
 * Sends a new code to a way, in place of the one before. Callers count it first; see countSend(). Returns the way, which
 * says when the code could not be sent.
 *
 * @throws ServiceError `notFound`
 */
export async function sendCode(deps: WayDeps, owner: WayOwner, id: ContactWayId): Promise<ListedWay> {
  const { sql, clock, secretKey } = deps;
  const ref = { id, userId: owner.userId };
  const code = String(randomInt(10 ** digits)).padStart(digits, '0');
  const expiresAt = new Date(clock.now() + contactWayLimits.codeMinutes * minuteMs);
  const hash = hashOf(secretKey, id, code);
  await sql`
    update contact_ways set code_hash = ${hash}, code_expires_at = ${expiresAt}, code_tries = 0, code_failed = null
    where id = ${id} and user_id = ${owner.userId}`;
  const { error } = await sendNow(deps, ref, (kind) => {
    const { code: texts } = textsOf('account-mail', owner.language ?? 'en').way;
    // A call reads digits one by one.
    const said = kind === 'voice' ? [...code].join(', ') : code;
    const { language } = owner;
    const title = texts.title({ code: said });
    return { id: newId(clock.now()), event: contactWayCodeEvent, title, text: texts.text, language };
  });
  return inTransaction(sql, async (tx) => {
    // Unless another code was sent meanwhile.
    await tx`
      update contact_ways set code_failed = ${error}
      where id = ${id} and user_id = ${owner.userId} and code_hash = ${hash}`;
    const way = await loadWay({ sql: tx }, ref);
    const marks = { codeSent: error === null };
    await recordWay(tx, { by: deps.by, now: clock.now() }, { verb: 'code', before: way, after: way, marks });
    return way;
  });
}

/**
 * Confirms a way with the code that was sent to it, or sends a new code when there is none in the request. A way that is
 * confirmed stays as it is.
 *
 * @throws ServiceError `notFound`; `invalidBody` for a wrong code; `conflict` when the code has ended, or was guessed at too
 *   often; `rateLimited` when too many codes were sent
 */
export async function confirmWay(
  deps: WayDeps,
  owner: WayOwner,
  { id, code }: { id: string; code?: string | undefined },
): Promise<ListedWay> {
  const ref = { id, userId: owner.userId };
  const way = await loadWay(deps, ref);
  if (way.confirmedAt !== null) return way;
  if (code === undefined) {
    requireKind(deps.sender, way.kind);
    await countSend(deps.sql, { userId: owner.userId, purpose: 'code', now: deps.clock.now() });
    return sendCode(deps, owner, way.id);
  }
  await checkCode(deps, way, code);
  const { sql, clock, by, secretKey } = deps;
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    const { way: before } = await lockWay(tx, ref, secretKey);
    if (before.code?.expiresAt.getTime() !== way.code?.expiresAt.getTime()) throw codeEnded();
    await tx`
      update contact_ways set confirmed_at = ${new Date(now)}, code_hash = null, code_expires_at = null,
        code_failed = null, code_tries = 0
      where id = ${before.id}`;
    const after = await loadWay({ sql: tx }, ref);
    await recordWay(tx, { by, now }, { verb: 'confirm', before, after });
    return after;
  });
}

/** Counts a guess before it is compared, so that many guesses at once are no more than five. */
async function checkCode(
  { sql, clock, secretKey }: WayDeps,
  { id, userId }: { id: ContactWayId; userId: UserId },
  code: string,
): Promise<void> {
  const [guess] = await sql<{ hash: Buffer; tries: number }[]>`
    update contact_ways set code_tries = code_tries + 1
    where id = ${id} and user_id = ${userId} and code_tries < ${contactWayLimits.codeTries}
      and code_expires_at > ${new Date(clock.now())}
    returning code_hash as hash, code_tries as tries`;
  if (guess === undefined) throw codeEnded();
  if (hashOf(secretKey, id, code.replaceAll(/\s/g, '')).equals(guess.hash)) return;
  const left = contactWayLimits.codeTries - guess.tries;
  const after =
    left === 0 ? 'Ask for a new one.' : `You have ${left === 1 ? '1 try' : `${left} tries`} left.`;
  throw new ServiceError('invalidBody', { field: '/code', message: `The code is wrong. ${after}` });
}

function codeEnded(): ServiceError {
  return new ServiceError('conflict', { message: 'This code has ended; ask for a new one.' });
}

/** Six digits are found out from a plain hash within a second: only the secret key makes this one. */
function hashOf(secretKey: string, id: ContactWayId, code: string): Buffer {
  return Buffer.from(hashSecret(signToken(secretKey, `contact-way ${id}`, code)), 'hex');
}

import { contactWayLimits, contactWayNames } from '../../contract/manage/contact-ways.js';
import { alertSeverities } from '../../contract/manage/shared.js';
import { type ContactWayId, newId, type UserId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { providerOrigins } from '../channels/index.js';
import { recordWay } from './audit-way.js';
import { sendCode } from './confirm-way.js';
import { countSend } from './count-sends.js';
import { type ListedWay, loadWay, sealSettings } from './find-ways.js';
import { needsCode, parseSeverities, parseWay, parseWayName } from './parse-way.js';
import { requireKind } from './sender.js';
import type { WayDeps, WayInput, WayOwner } from './way-input.js';

/**
 * Creates a way of a person. A phone, and an email that is not of the account, are sent a code, with which their owner
 * confirms them.
 *
 * @throws ServiceError `invalidBody` when a setting cannot be used, `conflict` when the person has too many ways and when
 *   the installation cannot send to this kind, `rateLimited` when too many codes were sent
 */
export async function createWay(
  deps: WayDeps,
  owner: WayOwner,
  { kind, name = contactWayNames[kind], settings: given = {}, severities, quietHours = null }: WayInput,
): Promise<ListedWay> {
  const { sql, clock, by, secretKey, origins = providerOrigins } = deps;
  const { userId, email: accountEmail } = owner;
  requireKind(deps.sender, kind);
  const { settings, open, host } = parseWay(kind, given, { accountEmail, origins });
  const isUnproven = needsCode(kind, settings, accountEmail);
  const now = clock.now();
  const id = newId<ContactWayId>(now);
  const created = await inTransaction(sql, async (tx) => {
    await checkRoom(tx, userId);
    if (isUnproven) await countSend(tx, { userId, purpose: 'code', now });
    await tx`
      insert into contact_ways (id, user_id, kind, name, host, open_settings, settings, severities,
        quiet_from_minute, quiet_to_minute, quiet_time_zone, confirmed_at, created_at)
      values (${id}, ${userId}, ${kind}, ${parseWayName(name)}, ${host}, ${tx.json(open)},
        ${sealSettings(secretKey, id, settings)}, ${parseSeverities(severities ?? alertSeverities)}::text[],
        ${quietHours?.fromMinute ?? null}, ${quietHours?.toMinute ?? null}, ${quietHours?.timeZone ?? null},
        ${isUnproven ? null : new Date(now)}, ${new Date(now)})`;
    const way = await loadWay({ sql: tx }, { id, userId });
    await recordWay(tx, { by, now }, { verb: 'create', before: null, after: way });
    return way;
  });
  return isUnproven ? sendCode(deps, owner, id) : created;
}

/** Ways of a person are created one after the other. @throws ServiceError `conflict` */
async function checkRoom(tx: Transaction, userId: UserId): Promise<void> {
  await tx`select 1 from users where id = ${userId} for no key update`;
  const [all] = await tx<{ count: number }[]>`
    select count(*)::integer as count from contact_ways where user_id = ${userId}`;
  if ((all?.count ?? 0) < contactWayLimits.waysPerPerson) return;
  throw new ServiceError('conflict', {
    message: `You have ${contactWayLimits.waysPerPerson} ways, which is the most; delete one first.`,
  });
}

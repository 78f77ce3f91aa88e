import { isDeepStrictEqual } from 'node:util';
import type { ContactWayId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { providerOrigins, refuseKeptSecretsElsewhere } from '../channels/index.js';
import { park } from '../delivery/index.js';
import { recordWay } from './audit-way.js';
import { sendCode } from './confirm-way.js';
import { countSend } from './count-sends.js';
import { type ListedWay, loadWay, lockWay, type OpenedWay, sealSettings } from './find-ways.js';
import { needsCode, type ParsedWay, parseSeverities, parseWay, parseWayName } from './parse-way.js';
import { messageTable } from './queue.js';
import { requireKind } from './sender.js';
import type { WayDeps, WayInput, WayOwner } from './way-input.js';

/** Gets the way as it is, in the transaction of the change, and may refuse the change by an error. */
type Checked = { id: string; check?: (way: ListedWay) => void };

export type WayChanges = Omit<WayInput, 'kind'>;

/**
 * Changes a way of a person. Messages that wait go to the new address at once; a phone or an email that has to be
 * confirmed is sent a code, and messages that wait are given up.
 *
 * @throws ServiceError `notFound`, what createWay() throws, and what `check` throws
 */
export async function changeWay(
  deps: WayDeps,
  owner: WayOwner,
  { id, check, ...changes }: Checked & WayChanges,
): Promise<ListedWay> {
  const ref = { id, userId: owner.userId };
  const { way, isUnproven } = await inTransaction(deps.sql, async (tx) => {
    const opened = await lockWay(tx, ref, deps.secretKey);
    check?.(await loadWay({ sql: tx }, ref));
    const parsed = parseChange(deps, owner, opened, changes);
    const { kind, id: wayId } = opened.way;
    const isUnproven =
      parsed !== undefined &&
      parsed.settings.to !== opened.settings?.to &&
      needsCode(kind, parsed.settings, owner.email);
    const now = deps.clock.now();
    if (isUnproven) {
      requireKind(deps.sender, kind);
      await countSend(tx, { userId: owner.userId, purpose: 'code', now });
    }
    await update(tx, deps.secretKey, wayId, { ...changes, parsed });
    if (parsed !== undefined) await settleConfirmation(tx, wayId, { isUnproven, now });
    if (changes.quietHours !== undefined) await releaseHeld(tx, wayId, now);
    const after = await loadWay({ sql: tx }, ref);
    const marks = parsed === undefined ? {} : { settingsChanged: true };
    await recordWay(tx, { by: deps.by, now }, { verb: 'update', before: opened.way, after, marks });
    return { way: after, isUnproven };
  });
  return isUnproven ? sendCode(deps, owner, way.id) : way;
}

/** Returns the settings after a change; `undefined` when they stay as they are. */
function parseChange(
  { origins = providerOrigins }: WayDeps,
  { email: accountEmail }: WayOwner,
  { way, settings: before }: OpenedWay,
  { settings: given }: WayChanges,
): ParsedWay | undefined {
  if (given === undefined) return undefined;
  const parsed = parseWay(way.kind, given, { before, accountEmail, origins });
  const { to: _was, ...had } = before ?? {};
  const { to: _is, ...has } = parsed.settings;
  const { to: _given, ...named } = given;
  refuseKeptSecretsElsewhere({ before: had, after: has }, named);
  return isDeepStrictEqual(parsed.settings, before) ? undefined : parsed;
}

async function update(
  tx: Transaction,
  secretKey: string,
  id: ContactWayId,
  { name, severities, quietHours, parsed }: WayChanges & { parsed: ParsedWay | undefined },
): Promise<void> {
  const row = {
    ...(name !== undefined && { name: parseWayName(name) }),
    ...(parsed !== undefined && {
      ...{ host: parsed.host, open_settings: tx.json(parsed.open) },
      settings: sealSettings(secretKey, id, parsed.settings),
    }),
    ...(quietHours !== undefined && {
      quiet_from_minute: quietHours?.fromMinute ?? null,
      quiet_to_minute: quietHours?.toMinute ?? null,
      quiet_time_zone: quietHours?.timeZone ?? null,
    }),
  };
  if (severities !== undefined) {
    await tx`update contact_ways set severities = ${parseSeverities(severities)}::text[] where id = ${id}`;
  }
  if (Object.keys(row).length > 0) await tx`update contact_ways set ${tx(row)} where id = ${id}`;
}

/** A new address has no code, and is its owner's only once one is entered; messages that failed before go to it at once. */
async function settleConfirmation(
  tx: Transaction,
  id: ContactWayId,
  { isUnproven, now }: { isUnproven: boolean; now: number },
): Promise<void> {
  await tx`
    update contact_ways set code_hash = null, code_expires_at = null, code_failed = null, code_tries = 0,
      confirmed_at = ${isUnproven ? null : tx`coalesce(confirmed_at, ${new Date(now)})`}
    where id = ${id}`;
  if (isUnproven) {
    const reason = 'unconfirmed: The way got another address, which is not confirmed.';
    await park(tx, messageTable, { which: tx`q.way_id = ${id}`, reason, now });
    return;
  }
  await tx`
    update person_messages set next_attempt_at = ${new Date(now)}
    where way_id = ${id} and state = 'pending' and held_until is null`;
}

/** Messages that quiet hours hold are due when these are changed. */
async function releaseHeld(tx: Transaction, id: ContactWayId, now: number): Promise<void> {
  await tx`
    update person_messages set next_attempt_at = ${new Date(now)}, held_until = null
    where way_id = ${id} and state = 'pending' and held_until > ${new Date(now)}`;
}

/** Deletes a way. Messages that wait are given up. @throws ServiceError `notFound`; what `check` throws. */
export async function deleteWay(deps: WayDeps, owner: WayOwner, { id, check }: Checked): Promise<void> {
  const ref = { id, userId: owner.userId };
  await inTransaction(deps.sql, async (tx) => {
    const now = deps.clock.now();
    const { way: before } = await lockWay(tx, ref, deps.secretKey);
    check?.(await loadWay({ sql: tx }, ref));
    const reason = 'off: The way was deleted.';
    await park(tx, messageTable, { which: tx`q.way_id = ${before.id}`, reason, now });
    await tx`delete from contact_ways where id = ${before.id}`;
    await recordWay(tx, { by: deps.by, now }, { verb: 'delete', before, after: null });
  });
}

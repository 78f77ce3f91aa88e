import type { ContactWayKind } from '../../contract/manage/contact-ways.js';
import type { AlertSeverity } from '../../contract/manage/shared.js';
import { type ContactWayId, type PageId, parseId, type UserId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { openColumn, sealColumn } from '../../sql/sealed-columns.js';
import type { WayQuietHours, WaySettings } from './parse-way.js';

/** A way as its owner sees it, without the secrets. */
export type Way = {
  id: ContactWayId;
  userId: UserId;
  kind: ContactWayKind;
  name: string;
  host: string;
  /** The settings that are no secret. */
  open: WaySettings;
  severities: AlertSeverity[];
  quietHours: WayQuietHours | null;
  /** null until a code has confirmed it; alerts do not come to it before. */
  confirmedAt: Date | null;
  /** The code that was sent last; null without one. */
  code: { expiresAt: Date; tries: number; failed: string | null } | null;
  createdAt: Date;
};

/** A way with the last message that was delivered or given up. */
export type ListedWay = Way & {
  last: { state: 'delivered' | 'parked'; at: Date; reason: string | null } | null;
};

/** A way of a person: another person's is not found. */
export type WayRef = { id: string; userId: UserId };

type Row = Omit<Way, 'quietHours' | 'code'> & {
  quietFrom: number | null;
  quietTo: number | null;
  quietTimeZone: string | null;
  codeExpiresAt: Date | null;
  codeTries: number;
  codeFailed: string | null;
};

type SealedRow = Row & { sealed: Buffer };

const wayColumns = (sql: Sql | Transaction): Fragment => sql`
  w.id, w.user_id as "userId", w.kind, w.name, w.host, w.open_settings as open, w.severities,
  w.quiet_from_minute as "quietFrom", w.quiet_to_minute as "quietTo", w.quiet_time_zone as "quietTimeZone",
  w.confirmed_at as "confirmedAt", w.code_expires_at as "codeExpiresAt", w.code_tries as "codeTries",
  w.code_failed as "codeFailed", w.created_at as "createdAt"`;

function toWay<Columns extends Row>({
  quietFrom,
  quietTo,
  quietTimeZone,
  codeExpiresAt,
  codeTries,
  codeFailed,
  ...row
}: Columns) {
  const isQuiet = quietFrom !== null && quietTo !== null && quietTimeZone !== null;
  return {
    ...row,
    quietHours: isQuiet ? { fromMinute: quietFrom, toMinute: quietTo, timeZone: quietTimeZone } : null,
    code: codeExpiresAt && { expiresAt: codeExpiresAt, tries: codeTries, failed: codeFailed },
  };
}

/** At most `limit` ways of a person, newest first, behind the one with the id `after`. */
export async function listWays(
  { sql }: { sql: Sql },
  { userId, limit, after }: { userId: UserId; limit: number; after?: string | undefined },
): Promise<ListedWay[]> {
  const behind = after === undefined ? sql`` : sql`and w.id < ${after}`;
  return selectListed(sql, sql`w.user_id = ${userId} ${behind} order by w.id desc limit ${limit}`);
}

/** @throws ServiceError `notFound` when the person has no such way. */
export async function loadWay({ sql }: { sql: Sql | Transaction }, ref: WayRef): Promise<ListedWay> {
  const [way] = await selectListed(sql, isWay(sql, ref));
  if (way === undefined) throw noSuchWay(ref.id);
  return way;
}

async function selectListed(sql: Sql | Transaction, condition: Fragment): Promise<ListedWay[]> {
  type Last = { state: 'delivered' | 'parked' | null; at: Date | null; reason: string | null };
  const rows = await sql<(Row & Last)[]>`
    select ${wayColumns(sql)}, last.state, last.finished_at as at, last.reason
    from contact_ways w left join lateral (
      select m.state, m.finished_at, case when m.state = 'parked' then m.reason end as reason
      from person_messages m where m.way_id = w.id and m.state <> 'pending' order by m.seq desc limit 1
    ) last on true
    where ${condition}`;
  return rows.map(({ state, at, reason, ...row }) => ({
    ...toWay(row),
    last: state === null || at === null ? null : { state, at, reason },
  }));
}

/** The confirmed ways of people, in the order in which they were made. */
export async function listConfirmedWays(tx: Sql | Transaction, userId: UserId): Promise<Way[]> {
  const rows = await tx<Row[]>`
    select ${wayColumns(tx)} from contact_ways w
    where w.user_id = ${userId} and w.confirmed_at is not null order by w.id`;
  return rows.map(toWay);
}

/** Whether somebody with a role on a page has a confirmed way. */
export async function hasConfirmedWay({ sql }: { sql: Sql }, pageId: PageId): Promise<boolean> {
  const rows = await sql`
    select 1 from contact_ways w join page_roles r on r.user_id = w.user_id
    where r.page_id = ${pageId} and w.confirmed_at is not null limit 1`;
  return rows.length > 0;
}

/** A way with all its settings, which are `undefined` when they were sealed with another secret key. */
export type OpenedWay = { way: Way; settings: WaySettings | undefined };

/**
 * Locks a way until the transaction ends, and returns it with all its settings.
 *
 * @throws ServiceError `notFound` when the person has no such way.
 */
export async function lockWay(tx: Transaction, ref: WayRef, secretKey: string): Promise<OpenedWay> {
  return toOpened(await selectSealed(tx, tx`${isWay(tx, ref)} for no key update of w`), ref, secretKey);
}

/** A way with all its settings, without a lock. @throws ServiceError `notFound` */
export async function openWay(sql: Sql, ref: WayRef, secretKey: string): Promise<OpenedWay> {
  return toOpened(await selectSealed(sql, isWay(sql, ref)), ref, secretKey);
}

async function selectSealed(sql: Sql | Transaction, condition: Fragment): Promise<SealedRow | undefined> {
  const [row] = await sql<SealedRow[]>`
    select ${wayColumns(sql)}, w.settings as sealed from contact_ways w where ${condition}`;
  return row;
}

function toOpened(row: SealedRow | undefined, ref: WayRef, secretKey: string): OpenedWay {
  if (row === undefined) throw noSuchWay(ref.id);
  const { sealed, ...rest } = row;
  return { way: toWay(rest), settings: openSettings(secretKey, row.id, sealed) };
}

/** The condition on `w`, a way, that a reference stands for. @throws ServiceError `notFound` */
function isWay(sql: Sql | Transaction, { id, userId }: WayRef): Fragment {
  const wayId = parseId<ContactWayId>(id);
  if (wayId === undefined) throw noSuchWay(id);
  return sql`w.id = ${wayId} and w.user_id = ${userId}`;
}

function noSuchWay(id: string): ServiceError {
  return new ServiceError('notFound', { message: `You have no way with the id "${id.slice(0, 60)}".` });
}

/** Encrypts the settings of a way for its row. */
export function sealSettings(secretKey: string, id: ContactWayId, settings: WaySettings): Buffer {
  return sealColumn(secretKey, 'contact-way', id, JSON.stringify(settings));
}

/** Returns `undefined` when the settings were sealed with another secret key. */
export function openSettings(secretKey: string, id: string, sealed: Uint8Array): WaySettings | undefined {
  try {
    return JSON.parse(openColumn(secretKey, 'contact-way', id, sealed));
  } catch {
    return undefined;
  }
}

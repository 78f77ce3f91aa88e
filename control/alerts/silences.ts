import { alertLimits } from '../../contract/manage/alerts.js';
import type { AlertSeverity } from '../../contract/manage/shared.js';
import type { Clock } from '../../lib/clock.js';
import { newId, type PageId, parseId, type SilenceId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { dayMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';

/** Alerts that nobody is told of until it ends; a choice that is null fits all. */
export type Silence = {
  id: SilenceId;
  rule: string | null;
  service: string | null;
  endpoint: string | null;
  severity: AlertSeverity | null;
  note: string;
  createdBy: string;
  createdAt: Date;
  endsAt: Date;
};

type Deps = { sql: Sql; clock: Clock; by: Actor };

export type NewSilence = Pick<Silence, 'rule' | 'service' | 'endpoint' | 'severity' | 'note'> & {
  pageId: PageId;
  /** Milliseconds since the epoch. */
  endsAt: number;
};

/** Lists at most `limit` silences of a page, newest first, behind the one with this id. */
export async function listSilences(
  { sql }: { sql: Sql },
  { pageId, limit, after }: { pageId: PageId; limit: number; after: string | undefined },
): Promise<Silence[]> {
  return sql<Silence[]>`
    select id, rule, service, endpoint, severity, note, created_by as "createdBy", created_at as "createdAt",
      ends_at as "endsAt"
    from silences where page_id = ${pageId} and (${after ?? null}::uuid is null or id < ${after ?? null})
    order by id desc limit ${limit}`;
}

/**
 * Notes which open alerts a silence covers, of all pages or of one. Of several, the one that ends last counts. `now` is in
 * milliseconds since the epoch.
 */
export async function applySilences(
  sql: Sql | Transaction,
  { now, pageId = null }: { now: number; pageId?: PageId | null },
): Promise<void> {
  const at = new Date(now);
  await sql`
    update alerts a set silence_id = found.silence_id
    from (
      select o.id, (
        select s.id from silences s
        where s.page_id = o.page_id and s.created_at <= ${at} and s.ends_at > ${at}
          and (s.rule is null or s.rule = o.rule_slug) and (s.service is null or s.service = o.service)
          and (s.endpoint is null or s.endpoint = o.endpoint) and (s.severity is null or s.severity = o.severity)
        order by s.ends_at desc, s.id limit 1) as silence_id
      from alerts o
      where o.resolved_at is null
        and (${pageId}::uuid is null or o.page_id = ${pageId})) found
    where a.id = found.id and a.resolved_at is null and a.silence_id is distinct from found.silence_id`;
}

/**
 * Silences alerts of a page from now on.
 *
 * @throws ServiceError `invalidBody` for an end that is over or too late, `conflict` when as many silences hold as may.
 */
export async function createSilence({ sql, clock, by }: Deps, input: NewSilence): Promise<Silence> {
  const now = clock.now();
  if (input.endsAt <= now)
    throw new ServiceError('invalidBody', { message: '/endsAt must be later than now.' });
  if (input.endsAt > now + alertLimits.silenceDaysMax * dayMs) {
    throw new ServiceError('invalidBody', {
      message: `/endsAt must be within ${alertLimits.silenceDaysMax} days; turn the rule off instead.`,
    });
  }
  return inTransaction(sql, async (tx) => {
    await tx`select 1 from pages where id = ${input.pageId} for no key update`;
    const [held] = await tx<{ count: number }[]>`
      select count(*)::integer as count from silences
      where page_id = ${input.pageId} and ends_at > ${new Date(now)}`;
    if ((held?.count ?? 0) >= alertLimits.silencesPerPage) {
      throw new ServiceError('conflict', {
        message: `The page has ${alertLimits.silencesPerPage} silences, which is the most; end one first.`,
      });
    }
    const { pageId, ...fields } = input;
    const silence: Silence = {
      ...{ ...fields, id: newId<SilenceId>(now), createdBy: by.name },
      ...{ createdAt: new Date(now), endsAt: new Date(input.endsAt) },
    };
    const { createdBy, createdAt, endsAt, ...row } = silence;
    await tx`insert into silences ${tx({
      ...row,
      ...{ page_id: pageId, created_by: createdBy, created_at: createdAt, ends_at: endsAt },
    })}`;
    await applySilences(tx, { now, pageId });
    await record(tx, { by, now }, pageId, { verb: 'create', silence, endsAt });
    return silence;
  });
}

/** Ends a silence now. @throws ServiceError `notFound` when no such silence holds. */
export async function endSilence(
  { sql, clock, by }: Deps,
  { pageId, id }: { pageId: PageId; id: string },
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const now = clock.now();
    const [silence] = await tx<Silence[]>`
      update silences set ends_at = greatest(${new Date(now)}, created_at + interval '1 millisecond')
      where page_id = ${pageId} and id = ${parseId<SilenceId>(id) ?? null} and ends_at > ${new Date(now)}
      returning id, rule, service, endpoint, severity, note, created_by as "createdBy", created_at as "createdAt",
        ends_at as "endsAt"`;
    if (silence === undefined) throw new ServiceError('notFound');
    // The end is at the earliest a millisecond after the beginning.
    await applySilences(tx, { now: Math.max(now, silence.endsAt.getTime()), pageId });
    await record(tx, { by, now }, pageId, { verb: 'end', silence, endsAt: silence.endsAt });
  });
}

async function record(
  tx: Transaction,
  audit: { by: Actor; now: number },
  pageId: PageId,
  { verb, silence, endsAt }: { verb: 'create' | 'end'; silence: Silence; endsAt: Date },
): Promise<void> {
  const { rule, service, endpoint, severity, note } = silence;
  const name = [rule, service, endpoint, severity].filter((part) => part !== null).join(' ') || 'everything';
  await recordChange(tx, audit, {
    pageId,
    action: `silence.${verb}`,
    target: { type: 'silence', id: silence.id, name },
    before: verb === 'create' ? null : { isActive: true },
    after:
      verb === 'create'
        ? { rule, service, endpoint, severity, note, endsAt: endsAt.toISOString() }
        : { isActive: false },
  });
}

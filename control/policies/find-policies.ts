import type { ManagedPolicy, PolicyTarget } from '../../contract/manage/policies.js';
import type { AlertSeverity } from '../../contract/manage/shared.js';
import type { ChannelId, PageId, PolicyId, ScheduleId, UserId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';

/** Whom a step tells. */
export type Target =
  /** `mayBeTold`: whether the person has a role on the page and may sign in. Whoever may not is not told. */
  | { type: 'person'; userId: UserId; email: string; mayBeTold: boolean }
  | { type: 'schedule'; scheduleId: ScheduleId; slug: string }
  | { type: 'channel'; channelId: ChannelId; name: string };

/** A policy as it is stored. */
export type Policy = {
  id: PolicyId;
  pageId: PageId;
  slug: string;
  name: string;
  /** In order. A step whose people are gone has an empty `notify`. */
  steps: { notify: Target[]; waitMinutes: number }[];
  /** How often all steps are gone through again. */
  repeat: number;
  /** The severities of the rules that name no policy and get this one. */
  defaultFor: AlertSeverity[];
  createdAt: Date;
};

export type PolicyRef = { pageId: PageId; slug: string };

/** Lists the policies of a page by slug. A page has at most fifty. */
export async function listPolicies(
  sql: Sql | Transaction,
  { pageId }: { pageId: PageId },
): Promise<Policy[]> {
  return selectPolicies(sql, sql`p.page_id = ${pageId}`);
}

/** Whether a page has a policy. */
export async function hasPolicy({ sql }: { sql: Sql }, pageId: PageId): Promise<boolean> {
  return (await sql`select 1 from policies where page_id = ${pageId} limit 1`).length > 0;
}

/** Finds the policy of a page with a slug. */
export async function findPolicy(
  sql: Sql | Transaction,
  { pageId, slug }: PolicyRef,
): Promise<Policy | undefined> {
  const [policy] = await selectPolicies(sql, sql`p.page_id = ${pageId} and p.slug = ${slug}`);
  return policy;
}

/** findPolicy() for one that must be there. @throws ServiceError `notFound` */
export async function loadPolicy(sql: Sql | Transaction, ref: PolicyRef): Promise<Policy> {
  const policy = await findPolicy(sql, ref);
  if (policy !== undefined) return policy;
  throw new ServiceError('notFound', {
    message: `The page has no policy with the slug "${ref.slug.slice(0, 60)}".`,
  });
}

/** Returns the policies of a page by the severities for which they are the default. */
export async function loadDefaultPolicies(
  sql: Sql | Transaction,
  { pageId }: { pageId: PageId },
): Promise<Map<AlertSeverity, Policy>> {
  const policies = await selectPolicies(
    sql,
    sql`p.page_id = ${pageId} and exists (select from policy_defaults d where d.policy_id = p.id)`,
  );
  return new Map(policies.flatMap((policy) => policy.defaultFor.map((severity) => [severity, policy])));
}

type Row = Omit<Policy, 'steps'> & {
  steps: { waitMinutes: number; notify: Target[] | null }[] | null;
};

async function selectPolicies(sql: Sql | Transaction, condition: Fragment): Promise<Policy[]> {
  const rows = await sql<Row[]>`
    select p.id, p.page_id as "pageId", p.slug, p.name, p.repeat, p.created_at as "createdAt",
      array(select d.severity from policy_defaults d where d.policy_id = p.id
        order by array_position(array['page', 'ticket', 'info'], d.severity)) as "defaultFor",
      (select json_agg(json_build_object('waitMinutes', t.wait_minutes, 'notify', (
          select json_agg(case
              when u.id is not null then json_build_object('type', 'person', 'userId', u.id, 'email', u.email,
                'mayBeTold', u.disabled_at is null
                  and exists (select from page_roles r where r.page_id = p.page_id and r.user_id = u.id))
              when s.id is not null then json_build_object('type', 'schedule', 'scheduleId', s.id, 'slug', s.slug)
              else json_build_object('type', 'channel', 'channelId', c.id, 'name', c.name) end order by g.position)
          from policy_targets g left join users u on u.id = g.user_id left join schedules s on s.id = g.schedule_id
            left join channels c on c.id = g.channel_id
          where g.policy_id = t.policy_id and g.step_position = t.position)) order by t.position)
        from policy_steps t where t.policy_id = p.id) as steps
    from policies p where ${condition} order by p.slug`;
  return rows.map(({ steps, ...row }) => ({
    ...row,
    steps: (steps ?? []).map(({ waitMinutes, notify }) => ({ notify: notify ?? [], waitMinutes })),
  }));
}

/** The fields of a policy that people set. */
export type PolicyFields = Pick<ManagedPolicy, 'name' | 'steps' | 'repeat' | 'defaultFor'>;

/** Returns the fields that people set. */
export function fieldsOf({ name, steps, repeat, defaultFor }: Policy): PolicyFields {
  const shown = steps.map(({ notify, waitMinutes }) => ({ notify: notify.map(toTarget), waitMinutes }));
  return { name, steps: shown, repeat, defaultFor };
}

/** Returns a policy as its page shows it. */
export function toManagedPolicy(policy: Policy): ManagedPolicy {
  const gone = policy.steps.flatMap(({ notify }) =>
    notify.flatMap((target) => (target.type === 'person' && !target.mayBeTold ? [target.email] : [])),
  );
  return {
    slug: policy.slug,
    ...fieldsOf(policy),
    withoutRole: [...new Set(gone)].sort(),
    createdAt: policy.createdAt.toISOString(),
  };
}

function toTarget(target: Target): PolicyTarget {
  if (target.type === 'person') return { person: target.email };
  return target.type === 'schedule' ? { schedule: target.slug } : { channel: target.name };
}

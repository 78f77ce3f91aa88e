import type { PolicyTarget } from '../../contract/manage/policies.js';
import type { ChannelId, PageId, ScheduleId, UserId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { findPeople } from '../schedules/index.js';
import type { PolicyFields } from './find-policies.js';

type Steps = PolicyFields['steps'];

/**
 * Returns the steps of a policy, whose schema was checked, in their usual form.
 *
 * @throws ServiceError `invalidBody` with the name of the field: an entry that is not one of a person, a schedule and a
 *   channel, and one that is there twice.
 */
export function parseSteps(steps: Steps): Steps {
  return steps.map(({ notify, waitMinutes }, step) => {
    const targets = notify.map((target, at) => parseTarget(target, `/steps/${step}/notify/${at}`));
    const keys = targets.map((target) => JSON.stringify(target));
    const twice = keys.findIndex((key, at) => keys.indexOf(key) !== at);
    if (twice >= 0) {
      throw invalid(`/steps/${step}/notify/${twice} must be another one than those before it in the step.`);
    }
    return { notify: targets, waitMinutes };
  });
}

function parseTarget({ person, schedule, channel }: PolicyTarget, path: string): PolicyTarget {
  if ([person, schedule, channel].filter((one) => one !== undefined).length !== 1) {
    throw invalid(`${path} must have one of person, schedule and channel, such as {"schedule": "backend"}.`);
  }
  if (person !== undefined) return { person: person.trim().toLowerCase() };
  return schedule === undefined ? { channel: channel?.trim() ?? '' } : { schedule };
}

/** The columns of a row of policy_targets that say whom it tells. */
type TargetColumns = {
  user_id: UserId | null;
  schedule_id: ScheduleId | null;
  channel_id: ChannelId | null;
};

/**
 * Finds whom the steps of a policy name, and keeps them until the transaction ends. Returns what gives the columns of an
 * entry.
 *
 * @throws ServiceError `invalidBody` that names a person without a role on the page, or a schedule or a channel that is
 *   not there.
 */
export async function findTargets(
  tx: Transaction,
  pageId: PageId,
  steps: Steps,
): Promise<(target: PolicyTarget) => TargetColumns> {
  const all = steps.flatMap(({ notify }, step) =>
    notify.map((target, at) => ({ ...target, field: `/steps/${step}/notify/${at}` })),
  );
  const people = await findPeople(
    tx,
    pageId,
    all.flatMap(({ person, field }) =>
      person === undefined ? [] : [{ email: person, field: `${field}/person` }],
    ),
  );
  const schedules = await findSchedules(
    tx,
    pageId,
    all.flatMap(({ schedule, field }) => (schedule === undefined ? [] : [{ slug: schedule, field }])),
  );
  const channels = await findChannels(
    tx,
    pageId,
    all.flatMap(({ channel, field }) => (channel === undefined ? [] : [{ name: channel, field }])),
  );
  return ({ person, schedule, channel }) => ({
    user_id: people.get(person ?? '') ?? null,
    schedule_id: schedules.get(schedule ?? '') ?? null,
    channel_id: channels.get(channel ?? '') ?? null,
  });
}

async function findSchedules(
  tx: Transaction,
  pageId: PageId,
  named: readonly { slug: string; field: string }[],
): Promise<Map<string, ScheduleId>> {
  const rows = await tx<{ id: ScheduleId; slug: string }[]>`
    select id, slug from schedules
    where page_id = ${pageId} and slug = any (${named.map(({ slug }) => slug)}::text[])`;
  const idOf = new Map(rows.map(({ id, slug }) => [slug, id]));
  const missing = named.find(({ slug }) => !idOf.has(slug));
  if (missing === undefined) return idOf;
  throw invalid(
    `${missing.field}/schedule must be the slug of a schedule of the page; there is no "${missing.slug}".`,
  );
}

async function findChannels(
  tx: Transaction,
  pageId: PageId,
  named: readonly { name: string; field: string }[],
): Promise<Map<string, ChannelId>> {
  // Whoever deletes a channel waits for this lock, and then sees that the policy names it.
  const rows = await tx<{ id: ChannelId; name: string }[]>`
    select id, name from channels
    where page_id = ${pageId} and subscriber_id is null and name = any (${named.map(({ name }) => name)}::text[])
    order by id for key share`;
  for (const { name, field } of named) {
    const { length } = rows.filter((row) => row.name === name);
    if (length === 1) continue;
    throw invalid(
      length === 0
        ? `${field}/channel must be the name of a channel of the page; there is no "${name}".`
        : `${field}/channel must be the name of one channel; the page has several with the name "${name}".`,
    );
  }
  return new Map(rows.map(({ id, name }) => [name, id]));
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidBody', { message });
}

import type { ManagedChannel } from '../../../../contract/manage/channels.js';
import type { PolicyTarget } from '../../../../contract/manage/policies.js';
import type { ManagedSchedule, PersonOnCall } from '../../../../contract/manage/schedules.js';
import { pagePath } from '../../reads/api-path.js';
import type { ListAnswer } from '../../reads/use-list.js';
import { useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';

/** Whom a step can tell, as far as the person may know it. */
export type Names = {
  people: readonly PersonOnCall[];
  schedules: readonly Pick<ManagedSchedule, 'slug' | 'name'>[];
  channels: readonly Pick<ManagedChannel, 'name'>[];
  /** Returns the name of a target. */
  nameOf(target: PolicyTarget): string;
};

const all = { limit: '200' };

/** Reads what the people and schedules of the policies are called, and the channels of the page. */
export function useNames(): Names {
  const { slug, may } = usePage();
  const people = useRead<ListAnswer<PersonOnCall>>(
    may('alerts.acknowledge') ? pagePath(slug, '/on-call/people', all) : undefined,
  ).data?.items;
  const schedules = useRead<ListAnswer<ManagedSchedule>>(pagePath(slug, '/schedules', all)).data?.items;
  const channels = useRead<ListAnswer<ManagedChannel>>(
    may('notifications.write') ? pagePath(slug, '/channels', all) : undefined,
  ).data?.items;
  return {
    ...{ people: people ?? [], schedules: schedules ?? [], channels: channels ?? [] },
    nameOf: ({ person, schedule, channel }) =>
      (person !== undefined && people?.find(({ email }) => email === person)?.name) ||
      (schedule !== undefined && schedules?.find((one) => one.slug === schedule)?.name) ||
      (person ?? schedule ?? channel ?? ''),
  };
}

import type { AnnouncementKind } from '../../../../contract/incidents.js';
import type { Audience } from '../../../../contract/manage/audience.js';
import { useFormat } from '../../format.js';
import { pagePath } from '../../reads/api-path.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { audienceTexts } from './audience-texts.js';

const pollMs = 60_000;

/** Who an announcement of this kind reaches now. */
export function useAudience(event: AnnouncementKind): Read<Audience> {
  const { slug } = usePage();
  return useRead<Audience>(pagePath(slug, '/audience', { event }), { everyMs: pollMs });
}

/** `1,204 people and 2 webhooks`; leaves out kinds without a recipient, and is undefined without any. */
export function usePeople(read: Read<Audience>): string | undefined {
  const texts = useTexts(audienceTexts);
  const { count } = useFormat();
  // The number of another announcement would be a wrong one.
  if (read.data === undefined || read.isOlder) return texts.unknown;
  const { subscribers, webhooks } = read.data;
  const people = texts.people({ count: subscribers, text: count(subscribers) });
  if (webhooks === 0) return subscribers === 0 ? undefined : people;
  const hooks = texts.webhooks({ count: webhooks, text: count(webhooks) });
  return subscribers === 0 ? hooks : texts.and({ people, webhooks: hooks });
}

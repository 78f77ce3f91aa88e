import type { MonitorGroup } from '../../../../contract/manage/monitor-groups.js';
import { pagePath } from '../../reads/api-path.js';
import type { ListAnswer } from '../../reads/use-list.js';
import { useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';

/** The groups of the page in its order; none while they are not known. */
export function useGroups(): readonly MonitorGroup[] {
  const { slug } = usePage();
  return useRead<ListAnswer<MonitorGroup>>(pagePath(slug, '/groups', { limit: '200' })).data?.items ?? [];
}

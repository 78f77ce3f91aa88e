import type { ReportersAnswer } from '../../../../../contract/analytics/reporters.js';
import type { DatabaseHealthAnswer } from '../../../../../contract/database-health.js';
import type { MonitorGroup } from '../../../../../contract/manage/monitor-groups.js';
import type { ManagedObjective } from '../../../../../contract/manage/objectives.js';
import type { MonitorsOverview } from '../../../../../contract/manage/overview.js';
import type { SavedQuery } from '../../../../../contract/manage/queries.js';
import type { ManagedRule } from '../../../../../contract/manage/rules.js';
import { pagePath } from '../../../reads/api-path.js';
import type { ListAnswer } from '../../../reads/use-list.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';

export type Choice = { value: string; title: string };

const nothing: readonly never[] = [];

/** All of a short list of the page; none while it is not known. */
function useAll<Item>(path: string): readonly Item[] {
  const { slug } = usePage();
  return useRead<ListAnswer<Item>>(pagePath(slug, path, { limit: '200' })).data?.items ?? nothing;
}

/** The monitors of the page. */
export function useMonitors(): readonly Choice[] {
  const { slug } = usePage();
  const { data } = useRead<MonitorsOverview>(pagePath(slug, '/overview/monitors'));
  return (data?.monitors ?? nothing).map((one) => ({ value: `monitor:${one.slug}`, title: one.name }));
}

export function useMonitorGroups(): readonly Choice[] {
  return useAll<MonitorGroup>('/groups').map(({ slug, name }) => ({ value: `group:${slug}`, title: name }));
}

export function useObjectives(): readonly ManagedObjective[] {
  return useAll<ManagedObjective>('/objectives');
}

/** The queries that are shared on the page: those of one person are not there for a rule. */
export function useSharedQueries(): readonly Choice[] {
  const queries = useAll<SavedQuery>('/queries').filter(({ isShared }) => isShared);
  return queries.map(({ id, name }) => ({ value: id, title: name }));
}

export function usePolicies(): readonly Choice[] {
  return useAll<{ slug: string; name: string }>('/policies').map(toChoice);
}

export function useTemplates(): readonly Choice[] {
  return useAll<{ slug: string; name: string; type: string }>('/templates')
    .filter(({ type }) => type === 'incident')
    .map(toChoice);
}

/** The other rules, for one that depends on them. */
export function useRules(): readonly Choice[] {
  return useAll<ManagedRule>('/rules').map(({ slug, name }) => ({ value: `rule:${slug}`, title: name }));
}

function toChoice({ slug, name }: { slug: string; name: string }): Choice {
  return { value: slug, title: name };
}

/** Names that reporters have, their teams and regions. */
export function useReporterNames(): Readonly<Record<'ids' | 'teams' | 'regions', readonly string[]>> {
  const { slug } = usePage();
  const { data } = useRead<ReportersAnswer>(pagePath(slug, '/analytics/reporters'));
  const reporters = data?.reporters ?? nothing;
  const distinct = (names: readonly (string | null)[]) => [...new Set(names.flatMap((name) => name ?? []))];
  return {
    ids: distinct(reporters.map(({ id }) => id)),
    teams: distinct(reporters.map(({ team }) => team)),
    regions: distinct(reporters.map(({ region }) => region)),
  };
}

/** The pools that report at present. */
export function usePools(): readonly { service: string; target: string; pool: string }[] {
  const { slug } = usePage();
  const { data } = useRead<DatabaseHealthAnswer>(
    pagePath(slug, '/analytics/database-health', { from: 'now-1h', to: 'now' }),
  );
  return data?.current.pools ?? nothing;
}

import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import type { TopAnswer } from '../../../../contract/analytics/figures.js';
import type { ReportersAnswer } from '../../../../contract/analytics/reporters.js';
import type { ListedBoard } from '../../../../contract/manage/boards.js';
import type { ListedIncident } from '../../../../contract/manage/incidents/incidents.js';
import type { OverviewAnswer } from '../../../../contract/manage/overview.js';
import { useAddress } from '../../address/use-address.js';
import { pagePath } from '../../reads/api-path.js';
import { ReadCacheContext } from '../../reads/read-cache.js';
import type { ListAnswer } from '../../reads/use-list.js';
import { useRead } from '../../reads/use-read.js';
import { boardPath, incidentPath, pathOfScreen } from '../screens.js';
import type { Command } from './commands.js';

type To = ReturnType<typeof useAddress>['to'];

/** Time without typing after which the service is asked for endpoints that are not among the known ones. */
const typingMs = 250;
const searchLengthMin = 2;
/** The latest incidents that are over; the most that one answer has. */
const resolvedMax = '200';

/**
 * The parts of a page that people look for by name. Read when the palette opens, with three requests; the rest works without
 * them. Endpoints beyond the most frequent ones are looked for as somebody types.
 */
export function usePageCommands(slug: string | undefined, search: string): readonly Command[] {
  const { to } = useAddress();
  const cache = useContext(ReadCacheContext);
  const overview = useRead<OverviewAnswer>(slug === undefined ? undefined : pagePath(slug, '/overview'));
  const top = useRead<TopAnswer>(slug === undefined ? undefined : topPath(slug, '200'));
  const resolved = useRead<ListAnswer<ListedIncident>>(
    slug === undefined ? undefined : pagePath(slug, '/incidents', { state: 'resolved', limit: resolvedMax }),
  );
  const text = useLate(search.trim());
  const isSearched = slug !== undefined && top.data?.truncated === true && text.length >= searchLengthMin;
  const searched = useRead<TopAnswer>(isSearched ? topPath(slug, '40', text) : undefined);
  return useMemo(() => {
    if (slug === undefined) return [];
    // The screen of the reporters may have read them: their names are not among the endpoints.
    const known = cache.get(pagePath(slug, '/analytics/reporters'))?.body as ReportersAnswer | undefined;
    // Nor is the list of the boards asked for.
    const boards = cache.get(pagePath(slug, '/boards', { limit: '100' }))?.body as
      | ListAnswer<ListedBoard>
      | undefined;
    const tops = [...(top.data?.rows ?? []), ...(searched.data?.rows ?? [])];
    const services = new Map(tops.map(({ service }) => [service ?? '', service ?? '']));
    for (const { id, name } of known?.reporters ?? []) services.set(id, name);
    return [
      ...incidentCommands(
        [...(overview.data?.incidents ?? []), ...(overview.data?.maintenance ?? [])],
        slug,
        'warning',
      ),
      ...monitorCommands(overview.data, slug, to),
      ...boardCommands(boards?.items ?? [], slug),
      ...serviceCommands(services, slug, to),
      ...endpointCommands(tops, slug, to),
      ...incidentCommands(resolved.data?.items ?? [], slug, 'check'),
    ];
  }, [slug, overview.data, top.data, searched.data, resolved.data]);
}

function topPath(slug: string, limit: string, search?: string): string {
  return pagePath(slug, '/analytics/top', { by: 'endpoint', from: 'now-24h', to: 'now', limit, search });
}

/** The text once it has not changed for a while. */
function useLate(text: string): string {
  const [late, setLate] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setLate(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return late;
}

/** Incidents and maintenance: those that are open or begin soon, or those that are over. */
function incidentCommands(
  incidents: readonly { id: string; title: string }[],
  slug: string,
  icon: 'warning' | 'check',
): Command[] {
  return incidents.map(({ id, title }) => ({
    ...{ id: `incident ${id}`, kind: 'incident', icon, title },
    href: incidentPath(slug, id),
  }));
}

function monitorCommands(overview: OverviewAnswer | undefined, slug: string, to: To): Command[] {
  return (overview?.monitors ?? []).map((monitor) => ({
    ...{ id: `monitor ${slug} ${monitor.slug}`, kind: 'monitor', icon: 'monitors', title: monitor.name },
    href: to(pathOfScreen(slug, 'monitors'), { monitor: monitor.slug }),
  }));
}

function boardCommands(boards: readonly ListedBoard[], slug: string): Command[] {
  return boards.map((board) => ({
    ...{ id: `board ${slug} ${board.slug}`, kind: 'board', icon: 'boards', title: board.name },
    href: boardPath(slug, board.slug),
  }));
}

function serviceCommands(services: ReadonlyMap<string, string>, slug: string, to: To): Command[] {
  return [...services].flatMap(([service, title]) =>
    service === ''
      ? []
      : [
          {
            ...({ id: `service ${slug} ${service}`, kind: 'service', icon: 'reporters', title } as const),
            href: to(pathOfScreen(slug, 'traffic'), { service }),
          },
        ],
  );
}

function endpointCommands(rows: TopAnswer['rows'], slug: string, to: To): Command[] {
  const commands = new Map<string, Command>();
  for (const { service, endpoint } of rows) {
    if (service === null || endpoint === null) continue;
    const id = `endpoint ${slug} ${service} ${endpoint}`;
    commands.set(id, {
      ...{ id, kind: 'endpoint', icon: 'traffic', title: endpoint, detail: service },
      href: to(pathOfScreen(slug, 'traffic'), { service, endpoint }),
    });
  }
  return [...commands.values()];
}

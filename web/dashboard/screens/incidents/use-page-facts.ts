import { useMemo } from 'preact/hooks';
import type { MonitorsOverview } from '../../../../contract/manage/overview.js';
import type { ManagedPage } from '../../../../contract/manage/pages.js';
import { pagePath } from '../../reads/api-path.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';

/** The settings of the page that the forms of incidents read. */
export type PageFacts = Pick<
  ManagedPage,
  'url' | 'name' | 'languages' | 'defaultLanguage' | 'timeZone' | 'hostname'
>;

export function usePageFacts(): Read<PageFacts> {
  const { slug } = usePage();
  return useRead<PageFacts>(pagePath(slug, ''));
}

/** The languages of the page other than the one in which people write. */
export function otherLanguages({ languages, defaultLanguage }: PageFacts): string[] {
  return languages.filter((language) => language !== defaultLanguage);
}

/** The monitors as a list of choices; their names in the default language of the page. */
export function useMonitorOptions(): { value: string; title: string; hint?: string }[] | undefined {
  const { slug } = usePage();
  const read = useRead<MonitorsOverview>(pagePath(slug, '/overview/monitors'));
  return useMemo(
    () =>
      read.data?.monitors.map((monitor) => ({
        ...{ value: monitor.slug, title: monitor.name },
        ...(monitor.name !== monitor.slug && { hint: monitor.slug }),
      })),
    [read.data],
  );
}

import type { ManagedIncident } from '../../../../../contract/manage/incidents/incidents.js';
import { pagePath } from '../../../reads/api-path.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { type PageFacts, usePageFacts } from '../use-page-facts.js';

const pollMs = 15_000;

/** An incident that is open on the screen, with what its parts need. */
export type Opened = {
  incident: ManagedIncident;
  /** Its path in the API, and the read of that. */
  path: string;
  read: Read<ManagedIncident>;
  page: PageFacts | undefined;
};

/** Reads an incident and the page side by side. */
export function useOpened(id: string): Omit<Opened, 'incident'> {
  const { slug } = usePage();
  const path = pagePath(slug, `/incidents/${encodeURIComponent(id)}`);
  return {
    path,
    read: useRead<ManagedIncident>(path, { everyMs: pollMs }),
    page: usePageFacts().data,
  };
}

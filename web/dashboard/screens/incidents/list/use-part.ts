import type { IncidentState, ListedIncident } from '../../../../../contract/manage/incidents/incidents.js';
import { useAddress } from '../../../address/use-address.js';
import { pagePath } from '../../../reads/api-path.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';

export type ListAnswer = { items: readonly ListedIncident[]; nextCursor: string | null };

/** Incidents in one state. */
export type Part = {
  state: IncidentState;
  read: Read<ListAnswer>;
  onNewest: (() => void) | undefined;
  onOlder: (() => void) | undefined;
};

const pollMs = 15_000;
const [openLimit, pastLimit] = ['200', '25'];

/** Reads the incidents in a state that the address does not leave out, the latest start first. */
export function usePart(state: IncidentState): Part {
  const { slug } = usePage();
  const { query, choose } = useAddress();
  const isWanted = query['state'] === undefined || query['state'] === state;
  const isPaged = state === 'resolved';
  const cursor = isPaged ? query['before'] : undefined;
  const type = typeOf(query['type']);
  const path = pagePath(slug, '/incidents', { state, type, limit: isPaged ? pastLimit : openLimit, cursor });
  const read = useRead<ListAnswer>(isWanted ? path : undefined, { everyMs: pollMs });
  const next = read.data?.nextCursor ?? undefined;
  return {
    ...{ state, read },
    onNewest: cursor === undefined ? undefined : () => choose({ before: undefined }),
    onOlder: isPaged && next !== undefined ? () => choose({ before: next }) : undefined,
  };
}

export function typeOf(text: string | undefined): 'incident' | 'maintenance' | undefined {
  return text === 'incident' || text === 'maintenance' ? text : undefined;
}

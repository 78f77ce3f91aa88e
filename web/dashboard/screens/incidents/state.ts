import type { IncidentState, ListedIncident } from '../../../../contract/manage/incidents/incidents.js';
import type { Tone } from '../../kit/badge.js';

/** Returns the displayed state: maintenance runs and completes, an incident is open and gets resolved. */
export type ShownState = 'open' | 'running' | 'scheduled' | 'resolved' | 'completed';

export const stateTones: Readonly<Record<ShownState, Tone>> = {
  open: 'bad',
  running: 'info',
  scheduled: 'none',
  resolved: 'good',
  completed: 'good',
};

export function shownState({ type, state }: Pick<ListedIncident, 'type' | 'state'>): ShownState {
  if (type === 'incident' || state === 'scheduled') return state;
  const maintenance = { open: 'running', resolved: 'completed' } as const satisfies Partial<
    Record<IncidentState, ShownState>
  >;
  return maintenance[state];
}

import type { DayIncident } from '../../contract/public/status-page.js';

/** Where an incident is on the days of a drawing: its place in the list of the page, its first and its last day. */
export type PlacedIncident = { incident: DayIncident; place: number; from: number; to: number };

/** The incidents of a service that took some of the days (oldest first), in the order of the list. */
export function placeIncidents(
  incidents: readonly DayIncident[],
  slug: string,
  days: readonly string[],
): PlacedIncident[] {
  const last = days.length - 1;
  return incidents.flatMap((incident, place) => {
    if (!incident.services.includes(slug)) return [];
    const from = days.findIndex((day) => day >= incident.startedAt.slice(0, 10));
    const to = endsOn(incident, days, last);
    return from === -1 || to < from ? [] : [{ incident, place, from, to }];
  });
}

/** One that ended at midnight took nothing of the day that began then. */
function endsOn({ startedAt, endedAt }: DayIncident, days: readonly string[], last: number): number {
  if (endedAt === null) return last;
  const end = startedAt === endedAt ? Date.parse(endedAt) : Date.parse(endedAt) - 1;
  const day = new Date(end).toISOString().slice(0, 10);
  return days.findLastIndex((each) => each <= day);
}

/**
 * The incidents for the script, separated by commas: place in the list, a colon, the first day and, when it is another
 * one, a hyphen and the last day, such as `0:87-89,3:12`. Days count from 0, the oldest.
 */
export function encodeIncidents(placed: readonly PlacedIncident[]): string {
  return placed.map(({ place, from, to }) => `${place}:${from}${to > from ? `-${to}` : ''}`).join(',');
}

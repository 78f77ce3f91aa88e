import type { IncidentType } from '../../../../contract/incidents.js';
import { useDates } from './maintenance/use-dates.js';

/**
 * How a time such as `2026-12-06T01:00:00Z` is written: by the clock of the page, as on the page, with the zone; that of
 * maintenance with the day of the week as well, because it is planned by that.
 *
 * @param zone IANA name of the zone of the page; UTC while it is not known.
 */
export function useMoments(zone = 'UTC'): Record<IncidentType, (at: string) => string> {
  const dates = useDates(zone);
  return {
    incident: (at) => dates.dateTime(Date.parse(at)),
    maintenance: (at) => `${dates.moment(Date.parse(at))} (${zone.replaceAll('_', ' ')})`,
  };
}

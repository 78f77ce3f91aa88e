import type { IncidentType } from '../../../../contract/incidents.js';
import { useFormat } from '../../format.js';
import { useDates } from './maintenance/use-dates.js';

/**
 * How a time such as `2026-12-06T01:00:00Z` is written: that of an incident by the clock of the reader, that of maintenance
 * by the clock of the page, by which it was planned; the zone is named.
 *
 * @param zone IANA name of the zone of the page; UTC while it is not known.
 */
export function useMoments(zone = 'UTC'): Record<IncidentType, (at: string) => string> {
  const format = useFormat();
  const dates = useDates(zone);
  return {
    incident: (at) => format.moment(Date.parse(at)),
    maintenance: (at) => `${dates.moment(Date.parse(at))} (${zone.replaceAll('_', ' ')})`,
  };
}

import { announcementKinds, incidentTypes } from '../../contract/incidents.js';
import { allEvents } from '../../contract/webhooks.js';
import { listOr, nearestNames } from '../../lib/mistakes/nearest.js';
import { ServiceError } from '../../lib/service-error.js';

/** `incident.*` and `maintenance.*`: every event of one type, also of later versions. */
const typePatterns = incidentTypes.map(patternOf);

const known: readonly string[] = [...typePatterns, ...announcementKinds];

/**
 * Returns the filter of a webhook in the form that is stored: each name once, in the order of the docs; `null` for
 * every event.
 *
 * @throws ServiceError `invalidBody` for a name that is none of the events, and for an empty list.
 */
export function parseEvents(names: readonly string[]): string[] | null {
  if (names.length === 1 && names[0] === allEvents) return null;
  for (const name of names) if (!known.includes(name)) throw noSuchEvent(name);
  if (names.length === 0) throw noSuchEvent('');
  return known.filter((name) => names.includes(name));
}

/** Returns the entries of a filter that let an event of this kind through. */
export function filtersFor(kind: string): string[] {
  return [kind, patternOf(kind.split('.')[0] ?? kind)];
}

function patternOf(type: string): string {
  return `${type}.*`;
}

function noSuchEvent(name: string): ServiceError {
  const near = nearestNames(name, known);
  const guess = near.length === 0 ? '' : `Did you mean ${listOr(near)}? `;
  const patterns = typePatterns.join(' and ');
  return new ServiceError('invalidBody', {
    field: '/events',
    message: `There is no event "${name.slice(0, 40)}".`,
    hint: `${guess}The events are ${announcementKinds.join(', ')}; ${patterns} stand for all of one type, and ${allEvents} alone for every event.`,
  });
}

import type { Service } from '../contract/summary.js';

export type ServiceState = 'up' | 'down' | 'maintenance' | 'paused' | 'unknown';

/**
 * What can be said of a service now, of a summary with coverage: that it was up when it was last checked, long ago,
 * says nothing. `maintained` are the services that a running maintenance is about, by slug.
 */
export function serviceState(
  { slug, status, coverage }: Pick<Service, 'slug' | 'status' | 'coverage'>,
  maintained: ReadonlySet<string>,
): ServiceState {
  if (maintained.has(slug)) return 'maintenance';
  switch (coverage?.freshness) {
    case 'paused':
      return 'paused';
    case 'never':
      return 'unknown';
    case 'stale':
      return status === 'down' ? 'down' : 'unknown';
    default:
      return status;
  }
}

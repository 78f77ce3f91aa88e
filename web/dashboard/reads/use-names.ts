import type { TopAnswer } from '../../../contract/analytics/figures.js';
import { usePage } from '../session.js';
import { pagePath } from './api-path.js';
import { useRead } from './use-read.js';

/** The last week, and as many names as the service has in one answer. */
const asked = { from: 'now-7d', limit: '200' } as const;

/**
 * Names to choose from: the services with requests in the last week, those with the most first, and the endpoints of one
 * of them. None while they are not known. A name that is being typed is no service yet, and asks for nothing.
 */
export function useNames(service: string): { services: readonly string[]; endpoints: readonly string[] } {
  const { slug } = usePage();
  const { data } = useRead<TopAnswer>(pagePath(slug, '/analytics/top', { ...asked, by: 'service' }));
  const services = namesOf(data, 'service');
  const path = pagePath(slug, '/analytics/top', { ...asked, by: 'endpoint', service });
  const { data: found, isOlder } = useRead<TopAnswer>(services.includes(service) ? path : undefined);
  return { services, endpoints: services.includes(service) && !isOlder ? namesOf(found, 'endpoint') : [] };
}

function namesOf(answer: TopAnswer | undefined, field: 'service' | 'endpoint'): readonly string[] {
  return [...new Set((answer?.rows ?? []).flatMap((row) => row[field] ?? []))];
}

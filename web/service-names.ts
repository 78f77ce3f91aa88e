import type { StatusPageView } from '../contract/status-page.js';
import type { ServiceNames } from './incident-parts.js';

/** Of the services, by slug, in the language of the page. */
export function serviceNames({ summary, language }: StatusPageView): ServiceNames {
  return Object.fromEntries(summary.services.map(({ slug, name, names }) => [slug, names[language] ?? name]));
}

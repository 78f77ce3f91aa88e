import { isLine, lineRule } from '../../contract/line.js';
import { type FigureSetting, figureKinds, figureLimits } from '../../contract/public/public-figures.js';
import { normalizeEndpoint } from '../../lib/event-fields.js';
import type { ServiceError } from '../../lib/service-error.js';
import { toTitle } from '../../lib/visible-line.js';
import { invalidPage } from './parse-page.js';

/** A figure as it is given; without an endpoint it is of all of the service. */
export type GivenFigure = Omit<FigureSetting, 'endpoint'> & { endpoint?: string | null };

/**
 * Figures in the form that is stored: titles as they are shown, endpoints as requests have them, and what each shows in
 * its usual order.
 *
 * @throws ServiceError `invalidBody` for more than 6 figures, an empty or overlong title, a service without a name, and
 *   what is no route.
 */
export function parseFigures(figures: readonly GivenFigure[]): FigureSetting[] {
  if (figures.length > figureLimits.figures) {
    throw refuse(`A page publishes at most ${figureLimits.figures} figures, not ${figures.length}.`);
  }
  return figures.map(({ title, service, endpoint = null, shows, window }) => ({
    title: parseTitle(title),
    service: parseService(service),
    endpoint: endpoint === null || endpoint.trim() === '' ? null : parseEndpoint(endpoint),
    shows: figureKinds.filter((kind) => shows.includes(kind)),
    window,
  }));
}

function parseTitle(text: string): string {
  const title = toTitle(text, figureLimits.titleChars);
  if ([...title].length <= figureLimits.titleChars && isLine('title', title)) return title;
  throw refuse(
    `The title of a figure must have 1 to ${figureLimits.titleChars} characters, and ${lineRule('title')}.`,
  );
}

function parseService(text: string): string {
  const service = text.trim();
  if (isLine('title', service)) return service.toWellFormed();
  throw refuse('A figure needs the name of a service, or the id of a reporter.');
}

function parseEndpoint(text: string): string {
  const endpoint = normalizeEndpoint(text);
  if (endpoint !== undefined) return endpoint;
  throw refuse(
    `"${text.slice(0, 100)}" is not the route of an endpoint, of at most 200 characters, such as /orders/:id.`,
  );
}

const refuse = (message: string): ServiceError => invalidPage('/figures', message);

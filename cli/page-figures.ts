import {
  type FigureKind,
  type FigureSetting,
  type FigureWindow,
  figureKinds,
  figureWindows,
} from '../contract/public/public-figures.js';
import { UsageError } from './core/errors.js';

/**
 * Reads a figure such as `Checkout=checkout,/orders,7d,p95`. Without a time it is of 24 hours, and it shows everything
 * unless it says what.
 *
 * @throws UsageError for any other form
 */
export function parseFigure(text: string): FigureSetting {
  const at = text.indexOf('=');
  const [service = '', ...parts] = text
    .slice(at + 1)
    .split(',')
    .map((part) => part.trim());
  if (at < 1 || service === '') {
    throw new UsageError(`--figure must be like Checkout=checkout,/orders,7d,p95, not "${text}".`);
  }
  const endpoints = parts.filter((part) => part.startsWith('/'));
  const windows = parts.filter(isWindow);
  const shows = parts.filter(isKind);
  const unknown = parts.find((part) => !part.startsWith('/') && !isWindow(part) && !isKind(part));
  if (unknown !== undefined) {
    const known = [...figureWindows, ...figureKinds].join(', ');
    throw new UsageError(`--figure: "${unknown}" is no endpoint such as /orders, and none of ${known}.`);
  }
  if (endpoints.length > 1 || windows.length > 1) {
    throw new UsageError(`--figure takes one endpoint and one time, not "${text}".`);
  }
  return {
    ...{ title: text.slice(0, at), service, endpoint: endpoints[0] ?? null, window: windows[0] ?? '24h' },
    shows: figureKinds.filter((kind) => shows.length === 0 || shows.includes(kind)),
  };
}

/** The figure in the form that parseFigure() reads. */
export function writeFigure({ title, service, endpoint, shows, window }: FigureSetting): string {
  return `${title}=${[service, ...(endpoint === null ? [] : [endpoint]), window, ...shows].join(',')}`;
}

const isWindow = (text: string): text is FigureWindow => figureWindows.some((window) => window === text);
const isKind = (text: string): text is FigureKind => figureKinds.some((kind) => kind === text);

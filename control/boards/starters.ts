import { type SqlExampleId, sqlExamples } from '../../contract/analytics/sql-examples.js';
import {
  type FigurePath,
  type StarterSlug,
  starterSlugs,
  type Tile,
  type TileSource,
} from '../../contract/manage/boards.js';
import type { PageId } from '../../lib/ids.js';
import type { Board, BoardDeps } from './board.js';
import { addMissingBoards } from './change-board.js';
import { parseBoard, type SentBoard } from './parse-board.js';

type Shape = Pick<Tile, 'display' | 'unit' | 'value'>;
type Place = Pick<Tile, 'x' | 'y' | 'width' | 'height'>;

function tile(id: string, title: string, place: Place, shape: Shape, source: TileSource): Tile {
  return { id, title, ...place, ...shape, source };
}

/** A place in the grid: the first column and row, then columns and rows. */
function at(x: number, y: number, width: number, height: number): Place {
  return { x, y, width, height };
}

function figure(path: FigurePath, parameters: Record<string, string> = {}): TileSource {
  return { figure: { path, ...(Object.keys(parameters).length > 0 && { parameters }) } };
}

/** @throws Error for an example that is not there. */
function example(wanted: SqlExampleId): TileSource {
  const found = sqlExamples.find(({ id }) => id === wanted);
  if (found === undefined) throw new Error(`There is no example "${wanted}".`);
  return { sql: found.sql };
}

/** The four numbers at the top, and the same over time, of all requests or of those that the parameters choose. */
function signals(parameters: Record<string, string>): Tile[] {
  const totals = figure('totals', { ...parameters, compare: 'previous' });
  const requests = figure('requests', parameters);
  return [
    tile(
      'rate',
      'Requests a second',
      at(0, 0, 3, 2),
      { display: 'number', value: 'requestsPerSecond' },
      totals,
    ),
    tile('count', 'Requests', at(3, 0, 3, 2), { display: 'number', value: 'requests' }, totals),
    tile('failing', 'Share that fails', at(6, 0, 3, 2), { display: 'number', value: 'errorShare' }, totals),
    tile('p95', 'p95', at(9, 0, 3, 2), { display: 'number', value: 'p95Ms', unit: 'ms' }, totals),
    tile('traffic', 'Requests over time', at(0, 2, 6, 4), { display: 'bar', value: 'count' }, requests),
    tile('failures', 'Failures over time', at(6, 2, 6, 4), { display: 'bar', value: 'errors' }, requests),
    tile(
      'times',
      'p95 over time',
      at(0, 6, 12, 4),
      { display: 'line', value: 'p95Ms', unit: 'ms' },
      requests,
    ),
  ];
}

const goldenSignals: SentBoard = {
  name: 'Golden signals',
  description: 'Traffic, failures and response times of all of the page',
  tiles: [
    ...signals({}),
    tile('heat', 'Response times', at(0, 10, 6, 5), { display: 'heatmap', unit: 'ms' }, example('heat-map')),
    tile(
      'busiest',
      'Busiest endpoints',
      at(6, 10, 6, 5),
      { display: 'table' },
      figure('top', { by: 'endpoint', limit: '10' }),
    ),
  ],
};

const ofService = { service: '{service}', endpoint: '{endpoint}' };
const oneService: SentBoard = {
  name: 'One service',
  description: 'A service, or one of its endpoints: choose both above the tiles',
  variables: { service: {}, endpoint: {} },
  tiles: [
    ...signals(ofService),
    tile(
      'endpoints',
      'Endpoints that fail most',
      at(0, 10, 6, 5),
      { display: 'table' },
      figure('top', { service: '{service}', by: 'endpoint', order: 'errors', limit: '10' }),
    ),
    tile(
      'messages',
      'Messages',
      at(6, 10, 6, 5),
      { display: 'table' },
      figure('messages/groups', { ...ofService, limit: '10' }),
    ),
  ],
};

const releases: SentBoard = {
  name: 'Releases',
  description: 'The newest version of a service beside the one before it',
  range: '7d',
  variables: { service: {}, environment: {} },
  tiles: [
    tile(
      'versions',
      'Versions',
      at(0, 0, 12, 5),
      { display: 'table' },
      figure('versions', { service: '{service}', environment: '{environment}' }),
    ),
    tile(
      'failures',
      'Failures over time',
      at(0, 5, 6, 4),
      { display: 'bar', value: 'errors' },
      figure('requests', { service: '{service}' }),
    ),
    tile(
      'times',
      'p95 over time',
      at(6, 5, 6, 4),
      { display: 'line', value: 'p95Ms', unit: 'ms' },
      figure('requests', { service: '{service}' }),
    ),
    tile(
      'errors',
      'Errors by their type',
      at(0, 9, 12, 5),
      { display: 'table' },
      figure('failures/groups', { service: '{service}', limit: '10' }),
    ),
  ],
};

const ofPools = { service: '{service}', environment: '{environment}' };
const databases: SentBoard = {
  name: 'Databases',
  description: 'Database servers, and how long callers wait for a connection',
  variables: { service: {}, environment: {} },
  tiles: [
    tile(
      'pools',
      'Servers and pools',
      at(0, 0, 12, 5),
      { display: 'table' },
      figure('database-health', ofPools),
    ),
    tile(
      'waits',
      'Waits for a connection',
      at(0, 5, 6, 5),
      { display: 'heatmap', unit: 'ms' },
      figure('database-health/acquisitions', ofPools),
    ),
    tile('pool-waits', 'Slowest pools', at(6, 5, 6, 5), { display: 'table' }, example('pool-waits')),
  ],
};

/** Sums, because an hour has a row for each monitor. */
const uptimeByHour = `SELECT
    hour AS time,
    round(100 * sum(up_ms) / sum(observed_ms), 3) AS uptime_percent
FROM monitor_hours
WHERE hour >= {from:DateTime} AND hour < {to:DateTime} AND observed_ms > 0
GROUP BY time
ORDER BY time`;

const uptimeAndTraffic: SentBoard = {
  name: 'Uptime and traffic',
  description: 'What checks see beside what users meet',
  range: '7d',
  tiles: [
    tile('uptime', 'Uptime', at(0, 0, 12, 4), { display: 'line', unit: '%' }, { sql: uptimeByHour }),
    tile(
      'traffic',
      'Requests over time',
      at(0, 4, 12, 4),
      { display: 'bar', value: 'count' },
      figure('requests'),
    ),
    tile(
      'failures',
      'Failures over time',
      at(0, 8, 12, 4),
      { display: 'bar', value: 'errors' },
      figure('requests'),
    ),
    tile('senders', 'Services and reporters', at(0, 12, 12, 5), { display: 'table' }, figure('reporters')),
  ],
};

/** The boards that are ready to use. */
export const starters: Readonly<Record<StarterSlug, SentBoard>> = {
  'golden-signals': goldenSignals,
  'one-service': oneService,
  releases,
  databases,
  'uptime-and-traffic': uptimeAndTraffic,
};

/**
 * Adds ready-made boards, all by default. A board whose slug is taken stays as it is.
 *
 * @throws ServiceError `conflict` when the page has no room for all of them; `notFound` when there is no such page.
 */
export async function addStarters(
  deps: BoardDeps,
  { pageId, slugs = starterSlugs }: { pageId: PageId; slugs?: readonly StarterSlug[] | undefined },
): Promise<{ added: Board[]; kept: string[] }> {
  const wanted = starterSlugs.filter((slug) => slugs.includes(slug));
  return addMissingBoards(
    deps,
    pageId,
    wanted.map((slug) => ({ slug, fields: parseBoard(starters[slug]) })),
  );
}

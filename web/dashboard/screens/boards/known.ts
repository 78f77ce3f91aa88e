import type {
  BoardVariable,
  FigurePath,
  ManagedBoard,
  StarterSlug,
  Tile,
  TileDisplay,
} from '../../../../contract/manage/boards.js';

/*
 * The names of the contract, whose own modules would bring the checks of bodies into the browser. A test holds them to be
 * the same.
 */

export const variableNames = ['service', 'endpoint', 'environment'] as const satisfies BoardVariable[];

export const displays = [
  'line',
  'bar',
  'table',
  'number',
  'heatmap',
  'text',
] as const satisfies TileDisplay[];

export const starterNames = [
  'golden-signals',
  'one-service',
  'releases',
  'databases',
  'uptime-and-traffic',
] as const satisfies StarterSlug[];

/** The parameters that a tile may give each read. */
export const parametersOf = {
  totals: ['service', 'endpoint', 'method', 'status', 'compare'],
  requests: ['step', 'service', 'endpoint', 'method', 'status', 'groupBy', 'limit'],
  top: ['by', 'order', 'service', 'endpoint', 'method', 'status', 'search', 'limit', 'compare', 'points'],
  failures: ['service', 'endpoint', 'errorType', 'status', 'version', 'message', 'limit'],
  'failures/groups': ['service', 'endpoint', 'errorType', 'status', 'version', 'limit'],
  messages: ['service', 'endpoint', 'limit'],
  'messages/groups': ['service', 'endpoint', 'status', 'limit'],
  reporters: ['window'],
  calls: ['step', 'reporter', 'limit'],
  versions: ['service', 'environment', 'version'],
  rejections: ['step'],
  'database-health': [
    'step',
    'service',
    'environment',
    'system',
    'target',
    'pool',
    'serverPool',
    'groupBy',
    'limit',
  ],
  'database-health/acquisitions': [
    'step',
    'service',
    'environment',
    'system',
    'target',
    'pool',
    'serverPool',
  ],
} as const satisfies Record<FigurePath, readonly string[]>;

/** Limits of the contract that fields of the forms have. */
export const charsMax = { name: 100, description: 500, title: 100, sql: 16_384, text: 10_000 } as const;
export const tilesMax = 40;

/** The fields of a board that people change. */
export type BoardValues = Pick<ManagedBoard, 'name' | 'description' | 'range' | 'variables' | 'tiles'>;

/** A tile without its statement or query, as readers of a link have it. */
export type ShownTile = Omit<Tile, 'source'>;

/** Values of the variables of a board, by their names. An empty text is none. */
export type Values = Readonly<Partial<Record<BoardVariable, string>>>;

const ofPoint = ['count', 'errors', 'clientErrors', 'averageMs', 'p50Ms', 'p95Ms', 'p99Ms'] as const;

/** Names of figures that a tile may draw, where a read has several. */
export const valuesOfFigure: Readonly<Partial<Record<FigurePath, readonly string[]>>> = {
  totals: ['requests', 'requestsPerSecond', 'errors', 'clientErrors', 'errorShare', ...ofPoint.slice(3)],
  requests: ofPoint,
  top: ['requests', 'errors', 'errorShare', 'p95Ms'],
  reporters: ['requests', 'failureRate'],
  versions: ['requests', 'share', 'failureRate', 'p95Ms'],
  'database-health': ['acquisitions', 'averageMs', 'p95Ms', 'failures', 'peakWaiting', 'utilisation'],
};

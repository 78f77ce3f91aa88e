import Type, { type Static } from 'typebox';
import { Line } from '../line.js';
import { actorFields } from './actor.js';
import { closed, Id, nullable, ResourceSlug, Time } from './shared.js';

export const boardLimits = {
  perPage: 100,
  tiles: 40,
  /** Links to one board, also those that have expired. */
  sharesPerBoard: 20,
  nameChars: 100,
  descriptionChars: 500,
  titleChars: 100,
  /** A longer statement belongs into a saved query. */
  sqlChars: 16 * 1024,
  textChars: 10_000,
  columns: 12,
  /** Rows of the grid. */
  rows: 400,
  tileRows: 20,
  parameters: 12,
  rangeDays: 400,
  bodyBytes: 512 * 1024,
} as const;

/** A reader of a board may choose these. */
export const boardVariables = ['service', 'endpoint', 'environment'] as const;
export type BoardVariable = (typeof boardVariables)[number];

export const tileDisplays = ['line', 'bar', 'table', 'number', 'heatmap', 'text'] as const;
export type TileDisplay = (typeof tileDisplays)[number];

/** Reads that a tile may show, by their path behind `/api/v1/pages/{page}/analytics/`. */
export const figurePaths = [
  'totals',
  'requests',
  'top',
  'failures',
  'failures/groups',
  'messages',
  'messages/groups',
  'reporters',
  'calls',
  'versions',
  'rejections',
  'database-health',
  'database-health/acquisitions',
] as const;
export type FigurePath = (typeof figurePaths)[number];

/** PostgreSQL stores no text with the character 0. */
function Text(charsMax: number, description: string) {
  return Type.String({ minLength: 1, maxLength: charsMax, pattern: '^[^\\u0000]*$', description });
}

const Variable = closed({
  initial: Type.Optional(Text(200, 'The value until a reader chooses another one; none when absent.')),
});
const BoardVariables = closed(
  {
    service: Type.Optional(Variable),
    endpoint: Type.Optional(Variable),
    environment: Type.Optional(Variable),
  },
  'What readers may choose. A parameter of a figure names it as {service}.',
);
export type BoardVariables = Static<typeof BoardVariables>;

const Figure = closed({
  path: Type.Enum([...figurePaths], { description: 'A read of the figures of the page.' }),
  parameters: Type.Optional(
    Type.Record(Type.String({ pattern: '^[A-Za-z]{1,30}$' }), Text(500, 'A value, or a variable.'), {
      description:
        'Parameters of the read, without from and to. {service} stands for the variable; a parameter whose variable has no value is left out.',
    }),
  ),
});
export type Figure = Static<typeof Figure>;

const TileSource = Type.Union(
  [
    closed({ query: Id }, 'A shared saved query, by its id.'),
    closed({
      sql: Text(
        boardLimits.sqlChars,
        'A statement with {from:DateTime} and {to:DateTime}; it is checked when it runs.',
      ),
    }),
    closed({ figure: Figure }),
    closed({ text: Text(boardLimits.textChars, 'Markdown.') }),
  ],
  { description: 'What the tile shows: exactly one of query, sql, figure and text.' },
);
export type TileSource = Static<typeof TileSource>;

const place = {
  x: Type.Integer({
    minimum: 0,
    maximum: boardLimits.columns - 1,
    description: `The first of its columns, of ${boardLimits.columns}.`,
  }),
  y: Type.Integer({ minimum: 0, maximum: boardLimits.rows - 1, description: 'The first of its rows.' }),
  width: Type.Integer({ minimum: 1, maximum: boardLimits.columns, description: 'Columns.' }),
  height: Type.Integer({ minimum: 1, maximum: boardLimits.tileRows, description: 'Rows.' }),
} as const;
const tileId = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  maxLength: 40,
  description: 'Unique on the board: lower-case letters, digits and single hyphens.',
});
const look = {
  display: Type.Enum([...tileDisplays]),
  unit: Type.Optional(Text(20, 'Such as ms or %.')),
  value: Type.Optional(
    Text(60, 'The figure or column that is drawn, such as p95Ms; the first number when absent.'),
  ),
} as const;

/** A tile of a board. */
export const Tile = closed({
  id: tileId,
  title: Type.String(),
  ...place,
  ...look,
  source: TileSource,
});
export type Tile = Static<typeof Tile>;

const SentTile = closed({
  id: tileId,
  title: Line('line', { charsMax: boardLimits.titleChars }),
  ...place,
  ...look,
  source: TileSource,
});

const range = Type.String({
  pattern: '^[1-9][0-9]{0,3}[mhd]$',
  description: `The usual time range up to now, such as 24h or 7d; at most ${boardLimits.rangeDays} days.`,
  examples: ['24h'],
});

/** A board of a page. */
export const ManagedBoard = closed({
  slug: ResourceSlug,
  name: Type.String(),
  description: Type.String(),
  range,
  variables: BoardVariables,
  tiles: Type.Array(Tile),
  createdAt: Time,
  updatedAt: Time,
});
export type ManagedBoard = Static<typeof ManagedBoard>;

/** A board in a list, without its tiles. */
export const ListedBoard = closed({
  slug: ResourceSlug,
  name: Type.String(),
  description: Type.String(),
  tileCount: Type.Integer(),
  createdAt: Time,
  updatedAt: Time,
});
export type ListedBoard = Static<typeof ListedBoard>;

/** The body that creates or replaces a board. */
export const PutBoard = closed({
  slug: Type.Optional(Type.String({ description: 'That of the path.' })),
  name: Line('line', { charsMax: boardLimits.nameChars }),
  description: Type.Optional(
    Line('markedLineOrNothing', {
      charsMax: boardLimits.descriptionChars,
      description: 'For people, in one line; empty when absent.',
    }),
  ),
  range: Type.Optional(Type.String({ ...range, default: '24h' })),
  variables: Type.Optional(BoardVariables),
  tiles: Type.Array(SentTile, { maxItems: boardLimits.tiles, description: 'Tiles, which do not overlap.' }),
});
export type PutBoard = Static<typeof PutBoard>;

/** Slugs of the boards that are ready to use. */
export const starterSlugs = [
  'golden-signals',
  'one-service',
  'releases',
  'databases',
  'uptime-and-traffic',
] as const;
export type StarterSlug = (typeof starterSlugs)[number];

/** The body that adds ready-made boards. */
export const AddStarterBoards = closed({
  slugs: Type.Optional(
    Type.Array(Type.Enum([...starterSlugs]), {
      minItems: 1,
      maxItems: starterSlugs.length,
      description: 'The boards to add; all when absent.',
    }),
  ),
});
export type AddStarterBoards = Static<typeof AddStarterBoards>;

/** The boards that were added. */
export const AddedBoards = closed({
  added: Type.Array(ManagedBoard),
  kept: Type.Array(Type.String(), { description: 'Slugs of boards that were there and stay as they are.' }),
});
export type AddedBoards = Static<typeof AddedBoards>;

/** A link by which anybody who has it reads a board. */
export const BoardShare = closed({
  id: Id,
  name: Type.String(),
  expiresAt: nullable(Time),
  createdAt: Time,
  createdBy: closed(actorFields),
});
export type BoardShare = Static<typeof BoardShare>;

export const CreateBoardShare = closed({
  name: Line('line', {
    charsMax: boardLimits.nameChars,
    description: 'Who reads it, such as "screen in the kitchen".',
  }),
  expiresAt: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'From when on the link opens nothing; never when absent.',
    }),
  ),
});
export type CreateBoardShare = Static<typeof CreateBoardShare>;

export const CreatedBoardShare = closed({
  ...BoardShare.properties,
  token: Type.String({ description: 'Opens the board. No later answer has it.' }),
  url: Type.String({
    description:
      'The address of the board as a page, with the token; programs read /api/v1/shared-boards/{token}.',
  }),
});
export type CreatedBoardShare = Static<typeof CreatedBoardShare>;

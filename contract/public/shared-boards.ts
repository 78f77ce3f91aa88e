import Type, { type Static } from 'typebox';
import { timeForms } from '../analytics/parameters.js';
import { boardVariables, Tile, tileDisplays } from '../manage/boards.js';

/** Path of the JSON of shared boards, followed by the token of a link. */
export const sharedBoardsPath = '/api/v1/shared-boards';

const { id, title, x, y, width, height, unit, value } = Tile.properties;
const Time = Type.String({ format: 'date-time' });

/** A tile as a reader of a shared board sees it: neither its statement nor its query. */
export const SharedTile = Type.Object({
  ...{ id, title, x, y, width, height, unit, value },
  display: Type.Enum([...tileDisplays]),
});

/** A board, as anyone who has its link sees it. */
export const SharedBoard = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    range: Type.String({ description: 'The time range of its tiles unless a reader chooses another one.' }),
    variables: Type.Array(
      Type.Object({
        name: Type.Enum([...boardVariables]),
        initial: Type.Union([Type.String(), Type.Null()]),
      }),
      { description: 'What a reader may choose.' },
    ),
    tiles: Type.Array(SharedTile),
    expiresAt: Type.Union([Time, Type.Null()], { description: 'When the link ends; null for never.' }),
    readAt: Type.String({ format: 'date-time', description: 'When the board was read.' }),
  },
  { $id: 'SharedBoard' },
);
export type SharedBoard = Static<typeof SharedBoard>;

/** The kinds of data in a tile: of a read of the API, of a statement, or a text. */
export const tileKinds = ['figure', 'sql', 'text'] as const;

/** A tile of a shared board with what it shows. */
export const SharedTileData = Type.Object(
  {
    id: Type.String(),
    readAt: Type.String({ format: 'date-time', description: 'When the tile was read.' }),
    kind: Type.Enum([...tileKinds], {
      description:
        'figure: the answer of the read, whose name is in path. sql: meta, data and rows, as POST …/analytics/sql answers in JSON. text: Markdown.',
    }),
    path: Type.Union([Type.String(), Type.Null()], { description: 'The read of a figure; null for others.' }),
    data: Type.Unknown({ description: 'What the tile shows.' }),
  },
  { $id: 'SharedTileData' },
);
export type SharedTileData = Static<typeof SharedTileData>;

const variable = (name: string) =>
  Type.Optional(Type.String({ description: `The ${name}, where the board has this variable.` }));

export const SharedTileParameters = Type.Object({
  from: Type.Optional(
    Type.String({ description: `Inclusive: ${timeForms}. The range of the board before now when missing.` }),
  ),
  to: Type.Optional(Type.String({ description: `Exclusive: ${timeForms}. Now when missing.` })),
  service: variable('service'),
  endpoint: variable('endpoint'),
  environment: variable('environment'),
});

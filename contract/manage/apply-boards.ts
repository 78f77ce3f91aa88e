import Type, { type Static } from 'typebox';
import { PutBoard } from './boards.js';
import { closed } from './shared.js';

const { slug: _, ...boardFields } = PutBoard.properties;
const FileBoard = closed(
  boardFields,
  'A board of tiles. A tile of a saved query names it by its id, which another page does not have.',
);
export type FileBoard = Static<typeof FileBoard>;

/** The section of the file with the boards of a page. */
export const boardSections = {
  boards: Type.Optional(
    Type.Record(Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' }), FileBoard, {
      description: 'Boards by slug. Links to them are not in the file.',
    }),
  ),
};

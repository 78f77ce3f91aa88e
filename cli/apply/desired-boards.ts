import type { FileBoard } from '../../contract/manage/apply-boards.js';
import { parseBoard } from '../../control/boards/index.js';
import type { Fields, WantedBySlug } from './fields.js';
import { orGiven } from './normal-form.js';

/** The boards that a file asks for. */
export function toBoards(boards: Readonly<Record<string, FileBoard>>): WantedBySlug[] {
  return Object.entries(boards).map(([slug, put]) => {
    return { slug, put, fields: boardFields(put), path: ['boards', slug] };
  });
}

/** The fields of a board, of a file or of the service, with every default. */
function boardFields(board: FileBoard): Fields {
  return orGiven(board, parseBoard);
}

import type { ApplyFile } from '../../contract/manage/apply.js';
import type { ManagedBoard, Tile } from '../../contract/manage/boards.js';
import { loadBoards } from '../board.js';
import type { Client } from '../client/client.js';

type FileBoards = NonNullable<ApplyFile['boards']>;

/** Reads the section of a file with the boards. `path` is that of the page. */
export async function exportBoards(client: Client, path: string): Promise<FileBoards> {
  const boards = await loadBoards(client, path);
  return Object.fromEntries(boards.map((board) => [board.slug, fileBoard(board)]));
}

function fileBoard({ name, description, range, variables, tiles }: ManagedBoard): FileBoards[string] {
  return {
    name,
    ...(description !== '' && { description }),
    ...(range !== '24h' && { range }),
    ...(Object.keys(variables).length > 0 && { variables }),
    tiles: tiles.map(inOrder),
  };
}

/** The fields of a tile in the order in which people write them: PostgreSQL keeps none. */
function inOrder({ id, title, x, y, width, height, display, unit, value, source }: Tile): Tile {
  return {
    ...{ id, title, x, y, width, height, display },
    ...(unit !== undefined && { unit }),
    ...(value !== undefined && { value }),
    source,
  };
}

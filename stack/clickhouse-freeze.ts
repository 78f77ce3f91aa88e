/** Name under which a backup freezes tables: the engine links their files to a folder of that name. */
export const freezeName = 'heartline_backup';

/** That folder, below the engine's. */
export const frozenFolder = `shadow/${freezeName}`;

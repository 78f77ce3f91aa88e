/**
 * A difference from the source. With `mended`, the row has a value that no monitor can have, and is taken with another one:
 * the command then ends with 1, as for a row that is left.
 */
export type Note = string | { mended: string };

export const sayNote = (note: Note): string => (typeof note === 'string' ? note : note.mended);

import type { Context } from 'koa';
import Type, { type TSchema } from 'typebox';
import { openCursor, type Position, sealCursor } from '../../lib/cursor.js';
import { type Parameters, parseInteger } from '../../lib/query-parameters.js';

const limitMax = 200;
const limitUsual = 50;

/** The query parameters of every list. */
export const listParameters = {
  limit: Type.Optional(
    Type.String({ description: `Most items in the answer, 1 to ${limitMax}; ${limitUsual} when absent.` }),
  ),
  cursor: Type.Optional(Type.String({ description: '`nextCursor` of the answer before.' })),
};

/** The schema of a list of `items`. */
export function listOf<Item extends TSchema>(items: Item) {
  return Type.Object({
    items: Type.Array(items),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'null at the end of the list.' }),
  });
}

/** Which part of a list a request asks for. */
export type Part = {
  limit: number;
  /** The list goes on after this; from its beginning when absent. */
  after?: Position;
};

/**
 * Reads and writes the cursors of one list. `list` names it and whose it is, such as `monitors <page id>`, with every
 * filter that it has: a cursor of another list is refused.
 */
export function createPaging(secretKey: string, list: string) {
  return {
    /** @throws ServiceError `invalidParameter` */
    parse({ limit, cursor }: Parameters<'limit' | 'cursor'>): Part {
      return {
        limit: limit === undefined ? limitUsual : parseInteger('limit', limit, 1, limitMax),
        ...(cursor !== undefined && { after: openCursor(secretKey, list, cursor) }),
      };
    },
    /**
     * Answers with a part. `rows` are those that were loaded: one more than `limit` when the list goes on. `positionOf` is
     * where the list stands after a row.
     */
    answer<Row>(ctx: Context, { rows, limit, toItem, positionOf }: PartAnswer<Row>): void {
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      const goesOn = rows.length > limit && last !== undefined;
      ctx.body = {
        items: shown.map((row) => toItem(row)),
        nextCursor: goesOn ? sealCursor(secretKey, list, positionOf(last)) : null,
      };
    },
  };
}

type PartAnswer<Row> = {
  rows: readonly Row[];
  limit: number;
  toItem(row: Row): object;
  positionOf(row: Row): Position;
};

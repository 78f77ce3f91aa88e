import Type, { type Static, type TSchema } from 'typebox';
import type { Position } from '../../lib/cursor.js';
import { answerDone, answerResource, preconditionOf, type Representation } from './answers.js';
import { createPaging, listOf, listParameters } from './lists.js';
import {
  type ManageBodyRoute,
  type ManageCall,
  type ManagedBody,
  type ManageRoute,
  manageBodyRoute,
  manageRoute,
} from './manage-route.js';

/** The usual routes of a resource: a definition is data and the verb that it calls. */
type Definition = Pick<ManageRoute, 'path' | 'permission' | 'operationId' | 'summary' | 'description'> & {
  errors?: ManageRoute['errors'];
};

/** Refuses a change that was made from another state, when `If-Match` asks for it. */
type Check<T> = (current: T) => void;

type ListCall = ManageCall<undefined, 'limit' | 'cursor'>;

type ListDefinition<Row extends object> = Definition & {
  /** The schema of an item. */
  item: TSchema;
  /** Names the list and whose it is, such as `channels <page id>`: a cursor of another list is refused. */
  nameOf(call: ListCall): string;
  /** Loads at most `limit` rows behind `after`. The last one only shows that the list goes on. */
  load(call: ListCall, part: { limit: number; after: Position | undefined }): Promise<readonly Row[]>;
  toItem(row: Row): object;
  positionOf(row: Row): Position;
};

/** Makes the route of a list without filters, in parts with cursors. */
export function listRoute<Row extends object>(
  { secretKey }: { secretKey: string },
  { item, nameOf, load, toItem, positionOf, ...definition }: ListDefinition<Row>,
): ManageRoute {
  return manageRoute({
    ...definition,
    method: 'GET',
    query: Type.Object(listParameters),
    answers: { 200: listOf(item) },
    async manage(call) {
      const paging = createPaging(secretKey, nameOf(call));
      const { limit, after } = paging.parse(call.query);
      const rows = await load(call, { limit: limit + 1, after });
      paging.answer(call.ctx, { rows, limit, toItem, positionOf });
    },
  });
}

/** The position of a row in a list by id. */
export const byId = ({ id }: { id: string }): Position => [id];

/** The id in a position that byId() made. */
export function idAt(after: Position | undefined): string | undefined {
  return after && String(after[0]);
}

type ReadDefinition<T> = Definition & {
  answer: TSchema;
  load(call: ManageCall): Promise<T>;
  represent(current: T): Representation;
};

/** Makes the route that reads one resource, with its entity tag. */
export function readRoute<T>({ answer, load, represent, ...definition }: ReadDefinition<T>): ManageRoute {
  return manageRoute({
    errors: ['notFound'],
    ...definition,
    method: 'GET',
    answers: { 200: answer, 304: Type.Null() },
    async manage(call) {
      answerResource(call.ctx, represent(await load(call)));
    },
  });
}

type ChangeDefinition<T, Schema extends TSchema> = Definition & {
  method: 'PATCH' | 'PUT';
  body: Omit<ManagedBody, 'schema'> & { schema: Schema };
  answer: TSchema;
  represent(current: T): Representation;
  /** Calls `check` with the state before the change. */
  change(call: ManageCall<Static<Schema>>, check: Check<T>): Promise<T>;
};

/** Makes the route that changes one resource, and answers with it as it is then. */
export function changeRoute<T, Schema extends TSchema>({
  answer,
  represent,
  change,
  ...definition
}: ChangeDefinition<T, Schema>): ManageBodyRoute {
  return manageBodyRoute({
    errors: ['invalidBody', 'notFound', 'preconditionFailed'],
    ...definition,
    answers: { 200: answer },
    async manage(call) {
      answerResource(call.ctx, represent(await change(call, preconditionOf(call.ctx, represent))));
    },
  });
}

type DeleteDefinition<T> = Definition & {
  represent(current: T): Representation;
  /** Calls `check` with what is deleted. */
  remove(call: ManageCall, check: Check<T>): Promise<unknown>;
};

/** Makes the route that deletes one resource. */
export function deleteRoute<T>({ represent, remove, ...definition }: DeleteDefinition<T>): ManageRoute {
  return manageRoute({
    errors: ['notFound', 'preconditionFailed'],
    ...definition,
    method: 'DELETE',
    answers: { 204: Type.Null() },
    async manage(call) {
      await remove(call, preconditionOf(call.ctx, represent));
      answerDone(call.ctx);
    },
  });
}

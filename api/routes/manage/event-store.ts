import type { Context } from 'koa';
import Type, { type Static } from 'typebox';
import {
  EventStoreReplay,
  EventStoreTest,
  ManagedEventStore,
  SetEventStore,
} from '../../../contract/manage/event-store.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import {
  checkDatabaseName,
  checkStoreUser,
  type EventStore,
  findEventStore,
  openEventStore,
  parseStoreUrl,
  recordStoreTest,
  replayEventStore,
  resetEventStore,
  setEventStore,
} from '../../../control/event-stores/index.js';
import { type Backlog, discardBatches, loadBacklog, replayBatches } from '../../../ingest/buffer/backlog.js';
import type { PageId } from '../../../lib/ids.js';
import { createLimiter } from '../../../lib/limiter.js';
import { ServiceError } from '../../../lib/service-error.js';
import { EventStoreError } from '../../../sql/prepare-event-store.js';
import { answerDone, answerResource, preconditionOf, type Representation } from '../../manage/answers.js';
import { manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';

const databaseUsual = 'heartline';
const permission = 'store.write';
/** Connections to stores that run at once because somebody asked for them; each may take many seconds. */
const testsMax = { max: 8, maxPerKey: 1 };
const path = '/api/v1/pages/:page/event-store';

/** The ClickHouse in which a page keeps its events. A page without one keeps them in the installation's: 404. */
export function manageEventStoreRoutes(deps: CommandRoutesDeps): ManageRouteList {
  const test = createTest(deps);
  return [
    manageRoute({
      ...{ method: 'GET', path, permission },
      operationId: 'getEventStore',
      summary: 'The event store of a page, and what waits for it',
      answers: { 200: ManagedEventStore, 304: Type.Null() },
      errors: ['notFound'],
      async manage({ ctx, page }) {
        answerResource(ctx, await represent(deps, await loadOwnStore(deps, page.id)));
      },
    }),
    manageBodyRoute({
      ...{ method: 'PUT', path, permission },
      operationId: 'setEventStore',
      summary: 'Keep the events of a page in a ClickHouse of its own',
      description:
        'Keep the events of a page in a ClickHouse of its own, from now on. The service connects to it and makes the tables first; nothing changes when that fails. If-None-Match: * replaces none',
      body: { schema: SetEventStore, bytesMax },
      answers: { 200: ManagedEventStore, 201: ManagedEventStore },
      errors: ['invalidBody', 'preconditionFailed', 'rateLimited', 'overloaded'],
      boundsItself: true,
      async manage({ ctx, by, page, body }) {
        const existing = await openEventStore(deps, page.id);
        const store = await put({ ...deps, by, test }, { ctx, pageId: page.id, existing, body });
        answerResource(ctx, await represent(deps, store), existing === undefined ? 201 : 200);
      },
    }),
    manageRoute({
      ...{ method: 'DELETE', path, permission },
      operationId: 'resetEventStore',
      summary: 'Keep the events of a page in the store of the installation again',
      description:
        'Keep the events of a page in the store of the installation again. What its own store has stays there; batches that wait for it are discarded',
      answers: { 204: Type.Null() },
      errors: ['notFound', 'preconditionFailed'],
      async manage({ ctx, by, page }) {
        const reset = await resetEventStore({ ...deps, by, discardBatches }, page.id, checkOf(ctx));
        if (reset === undefined) throw noOwnStore();
        answerDone(ctx);
      },
    }),
    ...actionRoutes(deps, test),
  ];
}

function actionRoutes(deps: CommandRoutesDeps, test: Test): ManageRouteList {
  return [
    manageRoute({
      ...{ method: 'POST', path: `${path}/test`, permission },
      operationId: 'testEventStore',
      summary: 'Check that the event store of a page can be used',
      description: 'Check that the event store of a page can be used, and make the tables that it lacks',
      answers: { 200: EventStoreTest },
      errors: ['notFound', 'rateLimited', 'overloaded'],
      boundsItself: true,
      async manage({ ctx, by, page }) {
        const known = await openEventStore(deps, page.id);
        if (known === undefined) throw noOwnStore();
        const { store, password } = known;
        if (password === undefined) throw new Error('The password was sealed with another SECRET_KEY.');
        const tested = await test(page.id, { ...store, password });
        const { version } = tested;
        if (version !== null)
          await recordStoreTest({ ...deps, by }, { pageId: page.id, url: store.url, version });
        ctx.body = tested;
      },
    }),
    manageRoute({
      ...{ method: 'POST', path: `${path}/replay`, permission },
      operationId: 'replayEventStore',
      summary: 'Deliver batches again that were given up, and retry waiting ones at once',
      answers: { 200: EventStoreReplay },
      errors: ['notFound'],
      async manage({ ctx, by, page }) {
        await loadOwnStore(deps, page.id);
        ctx.body = { replayed: await replayEventStore({ ...deps, by, replayBatches }, page.id) };
      },
    }),
  ];
}

type Put = {
  ctx: Context;
  pageId: PageId;
  existing: Awaited<ReturnType<typeof openEventStore>>;
  body: Static<typeof SetEventStore>;
};

/** Prepares the server before the change, and not for settings that the page has already. */
async function put(
  { test, ...deps }: CommandRoutesDeps & Parameters<typeof setEventStore>[0] & { test: Test },
  {
    ctx,
    pageId,
    existing: known,
    body: { password: given, database = databaseUsual, username, ...body },
  }: Put,
): Promise<EventStore> {
  const url = parseStoreUrl(body.url);
  checkDatabaseName(database);
  checkStoreUser(username);
  const check = checkOf(ctx);
  const existing = known?.store;
  check(existing);
  const isKnownAddress = existing?.url === url && existing.username === username;
  // People who may change the address must not learn the password from a server that they name.
  const password = given ?? (isKnownAddress ? known?.password : undefined);
  if (password === undefined) {
    throw new ServiceError('invalidBody', { message: '/password is required with another address or user.' });
  }
  const address = { url, database, username, password };
  const isSame = isKnownAddress && existing.database === database;
  if (!isSame || password !== known?.password) {
    const { error } = await test(pageId, address);
    if (error !== null) throw new ServiceError('invalidBody', { message: error });
  }
  return setEventStore(deps, { pageId, ...address }, check);
}

type Test = (
  pageId: PageId,
  address: Parameters<CommandRoutesDeps['prepareEventStore']>[0],
) => Promise<Static<typeof EventStoreTest>>;

/** Connects to stores, to one of a page at a time. @throws ServiceError `rateLimited`, `overloaded` */
function createTest({ prepareEventStore }: CommandRoutesDeps): Test {
  const running = createLimiter<PageId>(testsMax);
  return async (pageId, address) => {
    const release = running.tryTake(pageId);
    if (release === undefined) throw tooManyTests(running.running.has(pageId));
    try {
      const { version } = await prepareEventStore(address);
      return { isUsable: true, version, error: null };
    } catch (error) {
      if (!(error instanceof EventStoreError)) throw error;
      return { isUsable: false, version: null, error: error.message };
    } finally {
      release();
    }
  };
}

function tooManyTests(isOfPage: boolean): ServiceError {
  if (isOfPage) {
    const message = 'The service connects to a store of this page now; wait for that answer.';
    return new ServiceError('rateLimited', { message, retryAfterSeconds: 1 });
  }
  return new ServiceError('overloaded', {
    message: 'As many stores are tested now as may; retry later.',
    retryAfterSeconds: 1,
  });
}

/** @throws ServiceError `notFound` when the page has no store of its own */
async function loadOwnStore(deps: CommandRoutesDeps, pageId: PageId): Promise<EventStore> {
  const store = await findEventStore(deps, pageId);
  if (store === undefined) throw noOwnStore();
  return store;
}

function noOwnStore(): ServiceError {
  return new ServiceError('notFound', { message: 'The page has no event store of its own.' });
}

/** A check of If-Match, which a page without a store of its own fails. */
function checkOf(ctx: Context): (current: EventStore | undefined) => void {
  const check = preconditionOf(ctx, (store: EventStore) => representWith(store, emptyBacklog));
  return (current) => {
    if (current !== undefined) {
      if (ctx.method === 'PUT' && ctx.get('if-none-match') === '*') {
        throw new ServiceError('preconditionFailed');
      }
      check(current);
    } else if (ctx.get('if-match') !== '') throw new ServiceError('preconditionFailed');
  };
}

async function represent(deps: CommandRoutesDeps, store: EventStore): Promise<Representation> {
  return representWith(store, await loadBacklog(deps, store.pageId));
}

const emptyBacklog: Backlog = {
  ...{ pending: 0, exhausted: 0, events: 0, removedBatches: 0, removedEvents: 0 },
  ...{ oldestAt: null, nextAttemptAt: null, lastError: null },
};

function representWith({ url, database, username, setAt }: EventStore, waiting: Backlog): Representation {
  const { pending, oldestAt, nextAttemptAt, ...backlog } = waiting;
  const body: ManagedEventStore = {
    ...{ url, database, username, hasPassword: true, setAt: setAt.toISOString() },
    backlog: {
      ...backlog,
      waiting: pending,
      oldestAt: oldestAt?.toISOString() ?? null,
      nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    },
  };
  return { body, volatile: ['backlog'] };
}

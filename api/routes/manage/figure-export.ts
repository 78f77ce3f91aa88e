import type { Context } from 'koa';
import Type from 'typebox';
import { FigureExport, FigureExportTest, PutFigureExport } from '../../../contract/manage/figure-export.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import {
  BucketError,
  type CheckFigureExport,
  deleteFigureExport,
  type FigureExport as Export,
  findFigureExport,
  noFigureExport,
  type OpenedExport,
  openFigureExport,
  putObject,
  recordExportTest,
  sealedElsewhere,
  setFigureExport,
} from '../../../control/figure-exports/index.js';
import { findPage } from '../../../control/pages/index.js';
import type { PageId } from '../../../lib/ids.js';
import { createLimiter } from '../../../lib/limiter.js';
import { createEgress } from '../../../lib/outbound/egress.js';
import { ServiceError } from '../../../lib/service-error.js';
import { capabilityUnavailable } from '../../authenticate.js';
import {
  answerDone,
  answerPut,
  answerResource,
  putPreconditionOf,
  type Representation,
} from '../../manage/answers.js';
import type { ManagedPage } from '../../manage/caller.js';
import { manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';

const path = '/api/v1/pages/:page/figure-export';
/** All figures leave the installation. */
const permission = 'store.write';
/** An export that is there can be looked at and ended without it. */
const capability = 'internal-analytics';
/** Objects that are put at once because somebody asked for it; each may take many seconds. */
const testsMax = { max: 8, maxPerKey: 1 };
const testObject = {
  name: 'heartline-test.txt',
  mediaType: 'text/plain; charset=utf-8',
  body: Buffer.from('Heartline can put objects into this bucket.\n'),
};

/** The S3-compatible bucket that gets the figures of a page, an hour at a time. A page without one has none: 404. */
export function manageFigureExportRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      ...{ method: 'GET', path, permission },
      operationId: 'getFigureExport',
      summary: 'The bucket that gets the figures of a page, and how far it has come',
      answers: { 200: FigureExport, 304: Type.Null() },
      errors: ['notFound'],
      async manage({ ctx, page }) {
        const found = await findFigureExport(deps, page.id);
        if (found === undefined) throw noFigureExport();
        answerResource(ctx, represent(found));
      },
    }),
    manageBodyRoute({
      ...{ method: 'PUT', path, permission },
      operationId: 'putFigureExport',
      summary: 'Put the figures of a page into a bucket, an hour at a time',
      description:
        'Put the figures of a page into an S3-compatible bucket, an hour at a time, from the hour that runs. The settings that the page has already change nothing. If-None-Match: * replaces none',
      body: { schema: PutFigureExport, bytesMax },
      answers: { 200: FigureExport, 201: FigureExport },
      errors: ['invalidBody', 'capabilityUnavailable', 'conflict', 'preconditionFailed'],
      async manage({ ctx, by, page, body }) {
        await refuseUnavailable(deps, page);
        const { isNew, current } = await setFigureExport({ ...deps, by }, page.id, body, checkOf(ctx));
        answerPut(ctx, isNew, path.replace(':page', page.slug), represent(current));
      },
    }),
    manageRoute({
      ...{ method: 'DELETE', path, permission },
      operationId: 'deleteFigureExport',
      summary: 'Put no more figures of a page into its bucket',
      description: 'Put no more figures of a page into its bucket, which keeps what it has',
      answers: { 204: Type.Null() },
      errors: ['notFound', 'preconditionFailed'],
      async manage({ ctx, by, page }) {
        await deleteFigureExport({ ...deps, by }, page.id, checkOf(ctx));
        answerDone(ctx);
      },
    }),
    testRoute(deps),
  ];
}

function testRoute(deps: CommandRoutesDeps) {
  const running = createLimiter<PageId>(testsMax);
  const egress = createEgress({ allowPrivateAddresses: deps.allowPrivateAddresses });
  return manageRoute({
    ...{ method: 'POST', path: `${path}/test`, permission },
    operationId: 'testFigureExport',
    summary: 'Try to put a small object into the bucket',
    description: `Try to put a small object into the bucket, ${testObject.name} behind the prefix, and say what the bucket answers`,
    answers: { 200: FigureExportTest },
    errors: ['notFound', 'capabilityUnavailable', 'rateLimited', 'overloaded'],
    boundsItself: true,
    async manage({ ctx, by, page }) {
      await refuseUnavailable(deps, page);
      const opened = await openFigureExport(deps, page.id);
      if (opened === undefined) throw noFigureExport();
      const release = running.tryTake(page.id);
      if (release === undefined) throw tooManyTests(running.running.has(page.id));
      const error = await tryBucket({ ...deps, egress }, opened).finally(release);
      const tried = { pageId: page.id, bucket: opened.found.bucket, object: testObject.name };
      await recordExportTest({ ...deps, by }, { ...tried, error });
      ctx.body = { isUsable: error === null, error };
    },
  });
}

/** Returns why the bucket has not taken the object; `null` when it has. */
async function tryBucket(
  deps: Parameters<typeof putObject>[0],
  { found, secret }: OpenedExport,
): Promise<string | null> {
  if (secret === undefined) return sealedElsewhere;
  try {
    await putObject(deps, { ...found, secret }, testObject);
    return null;
  } catch (error) {
    if (error instanceof BucketError) return error.message;
    throw error;
  }
}

function tooManyTests(isOfPage: boolean): ServiceError {
  if (isOfPage) {
    const message = 'The bucket of this page is tried now; wait for that answer.';
    return new ServiceError('rateLimited', { message, retryAfterSeconds: 1 });
  }
  return new ServiceError('overloaded', {
    message: 'As many buckets are tried now as may; retry later.',
    retryAfterSeconds: 1,
  });
}

/** @throws ServiceError `capabilityUnavailable`; `notFound` when the page is gone by now */
async function refuseUnavailable({ sql }: CommandRoutesDeps, { id, slug }: ManagedPage): Promise<void> {
  const page = await findPage({ sql }, { id });
  if (page === undefined) throw new ServiceError('notFound');
  if (!page.capabilities.includes(capability)) throw capabilityUnavailable(slug, capability);
}

/** A check of If-Match, which a page without an export fails. */
function checkOf(ctx: Context): CheckFigureExport {
  return putPreconditionOf(ctx, represent);
}

function represent(found: Export): Representation {
  const { endpoint, region, bucket, prefix, accessKeyId, format, tables, enabled, setAt } = found;
  const { progress, lastPutAt, failures, nextAttemptAt, lastError } = found;
  const exportedUntil = Math.min(...progress.map((one) => one.exportedUntil));
  const body: FigureExport = {
    ...{ endpoint, region, bucket, prefix, accessKeyId, hasSecret: true, format, tables, enabled },
    setAt: setAt.toISOString(),
    state: {
      exportedUntil: toIso(exportedUntil),
      tables: progress.map((one) => ({
        table: one.table,
        exportedUntil: toIso(one.exportedUntil),
        finalUntil: toIso(one.finalUntil),
      })),
      lastPutAt: lastPutAt?.toISOString() ?? null,
      failures,
      nextAttemptAt: enabled ? nextAttemptAt.toISOString() : null,
      lastError,
    },
  };
  return { body, volatile: ['state'] };
}

function toIso(at: number): string {
  return new Date(at).toISOString();
}

import type { Context } from 'koa';
import Type from 'typebox';
import { auditParameters, AuditEntry as Entry } from '../../../contract/manage/audit.js';
import { type AuditEntry, type AuditFilter, listAuditEntries } from '../../../control/audit/index.js';
import { findPageId } from '../../../control/pages/index.js';
import { type PageId, parseId } from '../../../lib/ids.js';
import { invalidValue, type Parameters, parseRange } from '../../../lib/query-parameters.js';
import { createPaging, listOf, listParameters } from '../../manage/lists.js';
import { manageRoute } from '../../manage/manage-route.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';

type Asked = Parameters<keyof typeof auditParameters>;

/** The changes by people, keys, jobs and the command line: of a page, and of the whole installation. */
export function manageAuditRoutes(deps: CommandRoutesDeps): ManageRouteList {
  const answers = { 200: listOf(Entry) };
  return [
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages/:page/audit',
      operationId: 'listAudit',
      summary: 'The changes of a page, newest first',
      permission: 'audit.read',
      query: Type.Object({ ...auditParameters, ...listParameters }),
      answers,
      async manage({ ctx, page, query }) {
        await answerEntries(deps, ctx, query, { ...toFilter(query, deps.clock.now()), pageId: page.id });
      },
    }),
    manageRoute({
      method: 'GET',
      path: '/api/v1/audit',
      operationId: 'listInstallationAudit',
      summary: 'The changes of all pages and of the installation, newest first',
      permission: 'installation.write',
      query: Type.Object({
        page: Type.Optional(Type.String({ description: 'Slug or id of a page; a deleted one has its id.' })),
        ...auditParameters,
        ...listParameters,
      }),
      answers,
      async manage({ ctx, query: { page, ...query } }) {
        const pageId = page === undefined ? undefined : await findPageOf(deps, page);
        await answerEntries(deps, ctx, query, { ...toFilter(query, deps.clock.now()), pageId });
      },
    }),
  ];
}

async function answerEntries(
  deps: CommandRoutesDeps,
  ctx: Context,
  { limit: asked, cursor, ...filters }: Asked & Parameters<'limit' | 'cursor'>,
  filter: AuditFilter,
): Promise<void> {
  // The filters as they were asked for: "now-7d" is another time in each part.
  const list = `audit ${filter.pageId ?? 'all'} ${JSON.stringify(filters)}`;
  const paging = createPaging(deps.secretKey, list);
  const { limit, after } = paging.parse({
    ...(asked !== undefined && { limit: asked }),
    ...(cursor !== undefined && { cursor }),
  });
  const rows = await listAuditEntries(deps, filter, { limit: limit + 1, after: after?.map(String)[0] });
  paging.answer(ctx, { rows, limit, toItem: entryJson, positionOf: ({ id }) => [id] });
}

/** @throws ServiceError `invalidParameter` */
function toFilter({ from, to, actor, action, target }: Asked, now: number): AuditFilter {
  const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const parsed = from === undefined && to === undefined ? undefined : parseRange(range, now);
  return {
    ...{ actor, action, target },
    from: from === undefined ? undefined : parsed?.from,
    to: to === undefined ? undefined : parsed?.to,
  };
}

/** @throws ServiceError `invalidParameter` */
async function findPageOf(deps: CommandRoutesDeps, page: string): Promise<PageId> {
  const id = (await findPageId(deps, page)) ?? parseId<PageId>(page);
  if (id === undefined) throw invalidValue('page', 'the slug or the id of a page', page);
  return id;
}

function entryJson({ at, pageId: _, ...entry }: AuditEntry): object {
  return { ...entry, at: at.toISOString() };
}

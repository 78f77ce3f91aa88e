import type {
  ManagedObjective,
  ObjectiveSli,
  ObjectiveWindow,
  RequestsSli,
} from '../../contract/manage/objectives.js';
import { objectiveLimits } from '../../contract/manage/objectives.js';
import type { MonitorId, ObjectiveId, PageId } from '../../lib/ids.js';
import { boundsOf, nearestKeyOf } from '../../lib/latency-buckets.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { burnPairsOf } from './burn-rate.js';

/** The fields of an objective that people set. */
export type ObjectiveFields = {
  name: string;
  /** Percent, above 0 and below 100, with at most five decimals. */
  target: number;
  window: ObjectiveWindow;
  sli: ObjectiveSli;
  /** Whether the status page shows it. */
  isPublic: boolean;
};

/** An objective of a page. `monitorId` is that of its monitor; null for requests. */
export type Objective = ObjectiveFields & {
  id: ObjectiveId;
  pageId: PageId;
  slug: string;
  monitorId: MonitorId | null;
  createdAt: Date;
  updatedAt: Date;
};

/** Names one objective. */
export type ObjectiveRef = { pageId: PageId; slug: string };

type Row = Omit<Objective, 'window' | 'sli'> & {
  days: number | null;
  calendar: 'month' | 'quarter' | null;
  monitor: string | null;
} & { [Name in keyof Required<RequestsSli>]: Required<RequestsSli>[Name] | null };

/** Lists at most `limit` objectives of a page, all by default, by slug, behind the slug `after`. */
export async function listObjectives(
  { sql }: { sql: Sql | Transaction },
  {
    pageId,
    limit = objectiveLimits.perPage,
    after,
  }: { pageId: PageId; limit?: number; after?: string | undefined },
): Promise<Objective[]> {
  const behind = sql`o.page_id = ${pageId} and o.slug > ${after ?? ''}`;
  return selectObjectives(sql, sql`${behind} order by o.slug limit ${limit}`);
}

/** Lists the objectives that the status page of a page shows, by slug. */
export async function listPublicObjectives({ sql }: { sql: Sql }, pageId: PageId): Promise<Objective[]> {
  return selectObjectives(sql, sql`o.page_id = ${pageId} and o.is_public order by o.slug`);
}

/** Lists the objectives of pages. */
export async function listObjectivesOf(sql: Sql, pageIds: readonly PageId[]): Promise<Objective[]> {
  return selectObjectives(sql, sql`o.page_id = any (${[...pageIds]}::uuid[])`);
}

/** Returns the objective with this slug, or `undefined` when the page has none. */
export async function findObjective(
  sql: Sql | Transaction,
  { pageId, slug }: ObjectiveRef,
): Promise<Objective | undefined> {
  const [objective] = await selectObjectives(sql, sql`o.page_id = ${pageId} and o.slug = ${slug}`);
  return objective;
}

/** @throws ServiceError `notFound` when the page has no objective with this slug. */
export async function loadObjective({ sql }: { sql: Sql }, ref: ObjectiveRef): Promise<Objective> {
  const objective = await findObjective(sql, ref);
  if (objective === undefined) throw noObjective(ref);
  return objective;
}

export function noObjective({ slug }: Pick<ObjectiveRef, 'slug'>): ServiceError {
  return new ServiceError('notFound', { message: `The page has no objective with the slug "${slug}".` });
}

async function selectObjectives(sql: Sql | Transaction, condition: Fragment): Promise<Objective[]> {
  const rows = await sql<Row[]>`
    select o.id, o.page_id as "pageId", o.slug, o.name, o.target, o.window_days as days, o.calendar,
      o.service, o.endpoint, o.method, o.under_ms as "underMs", o.monitor_id as "monitorId", m.slug as monitor,
      o.is_public as "isPublic",      o.created_at as "createdAt", o.updated_at as "updatedAt"
    from objectives o left join monitors m on m.id = o.monitor_id
    where ${condition}`;
  return rows.map(({ days, calendar, service, endpoint, method, underMs, monitor, ...row }) => ({
    ...row,
    window: calendar === null ? { days: days ?? 0 } : { calendar },
    sli:
      monitor === null
        ? { requests: presentOf({ service, endpoint, method, underMs }) }
        : { monitor: { slug: monitor } },
  }));
}

function presentOf({ service, endpoint, method, underMs }: Pick<Row, keyof RequestsSli>): RequestsSli {
  return {
    ...(service !== null && { service }),
    ...(endpoint !== null && { endpoint }),
    ...(method !== null && { method }),
    ...(underMs !== null && { underMs }),
  };
}

/** Returns the bound of the buckets of response times that a threshold moves to; null without a threshold. */
export function underMsUsed(sli: ObjectiveSli): number | null {
  if (!('requests' in sli) || sli.requests.underMs === undefined) return null;
  return boundsOf(nearestKeyOf(sli.requests.underMs)).upperMs;
}

/** Returns an objective as answers have it. */
export function objectiveJson(objective: Objective): ManagedObjective {
  const { slug, name, target, window, sli, isPublic, createdAt, updatedAt } = objective;
  return {
    ...{ slug, name, target, window, sli, isPublic },
    ...{ underMsUsed: underMsUsed(sli), burnPairs: burnPairsOf(window) },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

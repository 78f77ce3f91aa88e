import type { Context } from 'koa';
import type { ManagedIncident } from '../../../../contract/manage/incidents/incidents.js';
import { type IncidentVersion, loadManagedIncident } from '../../../../control/incidents/index.js';
import { findPostmortem } from '../../../../control/postmortems/index.js';
import { countIncidentEmails } from '../../../../control/subscribers/index.js';
import { countIncidentDeliveries } from '../../../../control/webhooks/index.js';
import type { Clock } from '../../../../lib/clock.js';
import { type IncidentId, type PageId, parseId, type UpdateId } from '../../../../lib/ids.js';
import { ServiceError } from '../../../../lib/service-error.js';
import type { Sql } from '../../../../sql/open-postgres.js';
import { answerResource, preconditionOf, type Representation } from '../../../manage/answers.js';
import type { PathParams } from '../../../openapi/described.js';

type IncidentRef = { pageId: PageId; incidentId: IncidentId };

/**
 * Answers with an incident as it is now. Updates and texts have no entity tag of their own: that of the incident changes
 * with each of them.
 *
 * @throws ServiceError `notFound` when it is gone by now.
 */
export async function answerIncident(
  ctx: Context,
  deps: { sql: Sql; clock: Clock },
  ref: IncidentRef & { language?: string | undefined },
  status: 200 | 201 = 200,
): Promise<void> {
  const [incident, postmortem, emails, webhookDeliveries] = await Promise.all([
    loadManagedIncident(deps, ref),
    findPostmortem(deps.sql, ref),
    countIncidentEmails(deps, ref),
    countIncidentDeliveries(deps, ref),
  ]);
  const body: ManagedIncident = {
    ...found(incident),
    hasPostmortem: postmortem !== undefined,
    notifications: { emails, webhookDeliveries },
  };
  answerResource(ctx, representIncident(body), status);
}

/** The revision stands for everything that people change. The machine translates, deliveries leave, and time passes. */
function representIncident(body: IncidentVersion | ManagedIncident): Representation {
  return { body, volatile: Object.keys(body).filter((name) => name !== 'id' && name !== 'revision') };
}

/** The check of If-Match for verbs that change an incident, its updates or its texts. */
export function checkOf(ctx: Context): (current: IncidentVersion) => void {
  return preconditionOf(ctx, ({ id, revision }: IncidentVersion) => representIncident({ id, revision }));
}

/** @throws ServiceError `notFound` for what is not the form of an id. */
export function incidentIdOf(params: PathParams): IncidentId {
  return found(parseId<IncidentId>(params['id'] ?? ''));
}

/** @throws ServiceError `notFound` for what is not the form of an id. */
export function updateIdOf(params: PathParams): UpdateId {
  return found(parseId<UpdateId>(params['updateId'] ?? ''));
}

/** @throws ServiceError `notFound` for `undefined` and false. */
export function found<T>(value: T | undefined | false): T {
  if (value === undefined || value === false) throw new ServiceError('notFound');
  return value;
}

/**
 * Awaits a verb of incidents. The Incident API answers 400 when the incident or the page has no room; the
 * management API answers 409 for every limit.
 *
 * @throws ServiceError `conflict` with the sentence of `incidentLimit`; everything else as it is.
 */
export async function withinLimits<T>(work: Promise<T>): Promise<T> {
  return work.catch((err: unknown) => {
    if (!(err instanceof ServiceError) || err.kind !== 'incidentLimit') throw err;
    throw new ServiceError('conflict', { message: err.message, hint: err.hint, cause: err });
  });
}

import type { Context } from 'koa';
import {
  AppendUpdate,
  ChangedIncident,
  ChangeIncident,
  CreateIncident,
  Incident,
  IncidentUpdate,
  incidentLimits,
} from '../../contract/incidents.js';
import type { Actor } from '../../control/audit/index.js';
import {
  appendUpdate,
  changeIncident,
  createIncident,
  parseIncidentChange,
  parseNewIncident,
  parseNewUpdate,
} from '../../control/incidents/index.js';
import type { KeyGrant } from '../../control/keys/index.js';
import type { Clock } from '../../lib/clock.js';
import { type IncidentId, type PageId, parseId } from '../../lib/ids.js';
import { parseJson } from '../../lib/parse-body.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { createKeyRateLimit } from '../rate-limits.js';
import type { OriginParser } from '../request-origin.js';
import type { Access, BodyRoute } from '../route.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  parseOrigin: OriginParser;
  /** Called after each change of what the page publishes. */
  onChange(pageId: PageId): void;
  /** Called after the commit of a change that may be announced, so that its deliveries leave at once. */
  onAnnounced(): void;
};

/** The Incident API. A change is committed, with its announcement and the texts to translate, before the 2xx. */
export function incidentRoutes(deps: Deps): BodyRoute[] {
  const access: Access = {
    scope: 'incident',
    capability: 'incident-writes',
    keyError: 'invalidKey',
    rate: createKeyRateLimit(deps, incidentLimits.requestsPerMinute),
  };
  const { bodyBytes: bytesMax } = incidentLimits;
  const actorOf = (ctx: Context, { keyId: id, keyName: name }: KeyGrant): Actor => {
    return { type: 'key', id, name, address: deps.parseOrigin(ctx).clientAddress };
  };
  return [
    {
      method: 'POST',
      path: '/api/v1/incidents',
      operationId: 'createIncident',
      summary: 'Open an incident, or schedule maintenance',
      access,
      body: { schema: CreateIncident, bytesMax },
      answers: { 201: Incident },
      errors: ['methodNotAllowed', 'invalidBody', 'incidentLimit'],
      async handle(ctx, grant, body) {
        const { pageId } = grant;
        const input = parseNewIncident(parseJson(body));
        const incident = await createIncident({ ...deps, by: actorOf(ctx, grant) }, { pageId, input });
        deps.onChange(pageId);
        deps.onAnnounced();
        ctx.status = 201;
        ctx.body = incident;
      },
    },
    {
      method: 'PATCH',
      path: '/api/v1/incidents/:id',
      operationId: 'changeIncident',
      summary: 'Change, resolve or reopen an incident',
      access,
      body: { schema: ChangeIncident, bytesMax },
      answers: { 200: ChangedIncident },
      errors: ['methodNotAllowed', 'invalidBody', 'incidentLimit', 'notFound'],
      async handle(ctx, grant, body) {
        const { pageId } = grant;
        const change = parseIncidentChange(parseJson(body));
        const incidentId = parseIncidentId(ctx['params'].id);
        const incident = found(
          await changeIncident({ ...deps, by: actorOf(ctx, grant) }, { pageId, incidentId, change }),
        );
        deps.onChange(pageId);
        deps.onAnnounced();
        ctx.body = incident;
      },
    },
    {
      method: 'POST',
      path: '/api/v1/incidents/:id/updates',
      operationId: 'appendUpdate',
      summary: 'Add to the timeline of an incident',
      access,
      body: { schema: AppendUpdate, bytesMax },
      answers: { 201: IncidentUpdate },
      errors: ['methodNotAllowed', 'invalidBody', 'incidentLimit', 'notFound'],
      async handle(ctx, grant, body) {
        const { pageId } = grant;
        const input = parseNewUpdate(parseJson(body));
        const incidentId = parseIncidentId(ctx['params'].id);
        const update = found(
          await appendUpdate({ ...deps, by: actorOf(ctx, grant) }, { pageId, incidentId, input }),
        );
        deps.onChange(pageId);
        deps.onAnnounced();
        ctx.status = 201;
        ctx.body = update;
      },
    },
  ];
}

const noIncidentHint =
  'The page of this key has no incident with this id. GET /api/public/{slug}/incidents on the host of the page lists the ids.';

function parseIncidentId(text: string): IncidentId {
  return found(parseId<IncidentId>(text));
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new ServiceError('notFound', { hint: noIncidentHint });
  return value;
}

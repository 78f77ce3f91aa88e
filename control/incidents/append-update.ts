import type { IncidentUpdate } from '../../contract/incidents.js';
import type { Clock } from '../../lib/clock.js';
import { type IncidentId, newId, type PageId, type UpdateId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { requestTranslations } from '../translations/index.js';
import { announce } from './announce.js';
import { lockIncident } from './incident-rows.js';
import type { UpdateFields } from './parse-incident.js';

type Input = { pageId: PageId; incidentId: IncidentId; input: UpdateFields };

/**
 * Adds to the timeline of an incident; with the status `resolved` it also resolves one that is open, as of now, and
 * never moves an end that is set. Undefined when the page has no such incident.
 */
export async function appendUpdate(
  { sql, clock }: { sql: Sql; clock: Clock },
  input: Input,
): Promise<IncidentUpdate | undefined> {
  return inTransaction(sql, (tx) => appendUpdateIn(tx, { ...input, now: clock.now() }));
}

/** appendUpdate() as part of a transaction. `now` is in milliseconds since the epoch. */
export async function appendUpdateIn(
  tx: Transaction,
  { pageId, incidentId, input, now }: Input & { now: number },
): Promise<IncidentUpdate | undefined> {
  const incident = await lockIncident(tx, pageId, incidentId);
  if (incident === undefined) return undefined;
  const { body, status, notify } = input;
  const id = newId<UpdateId>(now);
  await tx`
    insert into incident_updates (id, incident_id, page_id, status, body, created_at)
    values (${id}, ${incidentId}, ${pageId}, ${status}, ${body}, ${new Date(now)})`;
  const resolvedIncident = status === 'resolved' && incident.resolved_at === null;
  // A maintenance that is called off before it starts ends as it starts.
  if (resolvedIncident) {
    await tx`
      update incidents set resolved_at = greatest(${new Date(now)}, started_at),
        announced_state = case when type = 'maintenance' then 'completed' end
      where id = ${incidentId}`;
  }
  await requestTranslations(tx, { pageId, texts: [body], now });
  const verb = resolvedIncident ? 'resolved' : 'update_posted';
  if (notify) await announce(tx, { pageId, incidentId, kind: `${incident.type}.${verb}`, updateId: id, now });
  return { id, incidentId, status, body, notify, resolvedIncident };
}

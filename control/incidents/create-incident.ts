import type { Incident } from '../../contract/incidents.js';
import type { Clock } from '../../lib/clock.js';
import { type IncidentId, newId, type PageId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { requestTranslations } from '../translations/index.js';
import { announce } from './announce.js';
import { attachMonitors, loadMonitorSlugs, toIncident } from './incident-rows.js';
import { maintenanceState } from './maintenance-state.js';
import type { IncidentFields } from './parse-incident.js';

/** Opens an incident or schedules maintenance, announces it and has it translated. */
export async function createIncident(
  { sql, clock }: { sql: Sql; clock: Clock },
  { pageId, input }: { pageId: PageId; input: IncidentFields },
): Promise<Incident> {
  return inTransaction(sql, (tx) => createIncidentIn(tx, { pageId, input, now: clock.now() }));
}

/** createIncident() as part of a transaction. `now` is in milliseconds since the epoch. */
export async function createIncidentIn(
  tx: Transaction,
  { pageId, input, now }: { pageId: PageId; input: IncidentFields; now: number },
): Promise<Incident> {
  const row = {
    id: newId<IncidentId>(now),
    page_id: pageId,
    type: input.type,
    title: input.title,
    summary: input.summary,
    started_at: input.startedAt,
    resolved_at: input.resolvedAt,
    scheduled_end_at: input.scheduledEndAt,
    published_at: new Date(now),
  };
  const state = maintenanceState(row, now);
  // One whose planned end is past has no end yet; the job gives it that.
  const announcedState = state === 'completed' && row.resolved_at === null ? 'in_progress' : state;
  await tx`insert into incidents ${tx({ ...row, announced_state: announcedState })}`;
  await attachMonitors(tx, pageId, row.id, input.monitorSlugs);
  await requestTranslations(tx, { pageId, texts: [input.title, input.summary], now });
  await announce(tx, { pageId, incidentId: row.id, kind: `${input.type}.created`, now });
  return toIncident(row, await loadMonitorSlugs(tx, row.id));
}

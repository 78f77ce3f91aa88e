import type { MonitorGroupId, MonitorId } from '../../../lib/ids.js';
import type { Fragment, Transaction } from '../../../sql/open-postgres.js';
import type { EmailedAnnouncement } from '../../incidents/index.js';

/** The services that an announced incident affects, as far as readers see them. */
export type Affected = { monitorIds: MonitorId[]; groupIds: MonitorGroupId[] };

/** Loads the services that the incident of an announcement affects now. */
export async function loadAffected(
  tx: Transaction,
  { page_id: pageId, incident_id: incidentId }: EmailedAnnouncement,
): Promise<Affected> {
  const affected = await tx<{ id: MonitorId; groupId: MonitorGroupId | null }[]>`
    select m.id, m.group_id as "groupId" from incident_monitors im join monitors m on m.id = im.monitor_id
    where im.incident_id = ${incidentId} and m.page_id = ${pageId} and not m.hidden`;
  return {
    monitorIds: affected.map(({ id }) => id),
    groupIds: affected.flatMap(({ groupId }) => groupId ?? []),
  };
}

/**
 * The condition on a subscriber `s` for hearing of an announcement: it hears of everything, or the incident affects
 * something that it has chosen, or no service that readers see. Whoever has heard of an incident hears of its end, even
 * when it affects other services by then.
 *
 * @param hasHeard the condition for having received a message about the incident before
 */
export function hearsOf(
  tx: Transaction,
  { is_reminder: isReminder }: EmailedAnnouncement,
  { monitorIds, groupIds }: Affected,
  hasHeard: Fragment,
): Fragment {
  const wantsThat = isReminder ? tx`s.reminders` : tx`true`;
  if (monitorIds.length === 0) return wantsThat;
  return tx`(${wantsThat} and (s.monitor_ids is null
    or s.monitor_ids && ${monitorIds}::uuid[] or s.group_ids && ${groupIds}::uuid[]
    or ${hasHeard}))`;
}

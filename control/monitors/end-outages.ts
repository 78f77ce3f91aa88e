import type { IncidentId, MonitorId, PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { jobActor } from '../audit/index.js';
import { appendUpdateIn, lockIncident, rewordIncidentIn } from '../incidents/index.js';
import { outageTexts, withoutName } from './outage-texts.js';

/** Opens and ends the incidents of monitors. */
export const watcher = jobActor('watch-monitors');

type Outage = { id: MonitorId; name: string; hidden: boolean; incident_id: IncidentId; language: string };

/**
 * Resolves the incident that a monitor opened, because nobody watches the monitor any more: it is about to be deleted, or
 * is paused or hidden. The page and the monitor are locked. `now` is in milliseconds since the epoch.
 */
export async function endOutage(
  tx: Transaction,
  { pageId, id, now }: { pageId: PageId; id: MonitorId; now: number },
): Promise<void> {
  await endOutages(tx, pageId, { now, only: id });
}

/** endOutage() for all monitors of a page that is paused. */
export async function endPageOutages(tx: Transaction, pageId: PageId, now: number): Promise<void> {
  await endOutages(tx, pageId, { now });
}

async function endOutages(
  tx: Transaction,
  pageId: PageId,
  { now, only }: { now: number; only?: MonitorId },
): Promise<void> {
  const outages = await tx<Outage[]>`
    select m.id, m.name, m.hidden, m.incident_id, p.default_language as language
    from monitors m join pages p on p.id = m.page_id
    where m.page_id = ${pageId} and m.incident_id is not null ${only === undefined ? tx`` : tx`and m.id = ${only}`}
    order by m.incident_id`;
  for (const { id, name, hidden, incident_id: incidentId, language } of outages) {
    const incident = await lockIncident(tx, pageId, incidentId);
    if (incident?.resolved_at === null) {
      const texts = outageTexts(language);
      const body = hidden ? texts.unnamed.ended : texts.ended(name);
      const input = { body, status: 'resolved' as const, notify: true };
      await appendUpdateIn(tx, { pageId, incidentId, input, now, by: watcher });
    }
    await tx`update monitors set incident_id = null where id = ${id}`;
  }
}

/**
 * Takes the name of a monitor that is hidden from now on out of the incidents that it has opened, past ones included. Does
 * not change what people wrote. The page and the monitor are locked.
 *
 * @throws ServiceError `incidentLimit` when the page has no room for a longer text.
 */
export async function hideNameInIncidents(
  tx: Transaction,
  { pageId, id, now }: { pageId: PageId; id: MonitorId; now: number },
): Promise<void> {
  const incidents = await tx<{ id: IncidentId }[]>`
    select i.id from incidents i join incident_monitors im on im.incident_id = i.id
    where im.monitor_id = ${id} and i.page_id = ${pageId}
      and (i.author_type is null or (i.author_type = 'job' and i.author_id = ${watcher.id}))
    order by i.id`;
  for (const { id: incidentId } of incidents) {
    await rewordIncidentIn(tx, { pageId, incidentId, reword: withoutName, now, by: watcher });
  }
}

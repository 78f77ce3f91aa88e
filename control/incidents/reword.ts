import type { IncidentId, PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { requestTranslations } from '../translations/index.js';
import { type Audit, recordIncidentChange } from './audit.js';
import { updateIncident } from './change.js';
import { correctUpdateIn, type StoredUpdate } from './correct.js';
import { loadAffected, lockIncident } from './rows.js';

/**
 * Rewords an incident and the updates that jobs have posted to it, and announces nothing. `reword` returns a text that
 * stays as it is. The page is locked. `now` is in milliseconds since the epoch.
 *
 * @throws ServiceError `incidentLimit` when the page has no room for a longer text.
 */
export async function rewordIncidentIn(
  tx: Transaction,
  {
    pageId,
    incidentId,
    reword,
    ...audit
  }: Audit & { pageId: PageId; incidentId: IncidentId; reword: (text: string) => string },
): Promise<void> {
  const before = await lockIncident(tx, pageId, incidentId);
  if (before === undefined) return;
  const after = { ...before, title: reword(before.title), summary: reword(before.summary) };
  if (after.title !== before.title || after.summary !== before.summary) {
    const affected = await loadAffected(tx, incidentId);
    await updateIncident(tx, before, after);
    await requestTranslations(tx, { pageId, texts: [after.title, after.summary], now: audit.now });
    const sides = { before: { ...before, affected }, after: { ...after, affected } };
    await recordIncidentChange(tx, audit, { pageId, verb: 'update', ...sides });
  }
  // An update of a version that did not keep authors has none.
  const updates = await tx<StoredUpdate[]>`
    select id, status, body from incident_updates
    where incident_id = ${incidentId} and (author_type = 'job' or author_type is null) order by place`;
  for (const update of updates) {
    const fields = { body: reword(update.body) };
    await correctUpdateIn(tx, { pageId, incident: after, update, fields, ...audit });
  }
}

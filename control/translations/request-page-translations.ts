import { incidentLimits } from '../../contract/incidents.js';
import type { PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { requestTranslations } from './request-translations.js';

/**
 * Asks for the translations that a page lacks of the incidents in its ledger, as after its languages changed. The
 * caller has locked the page, so that no incident is written meanwhile. `now` is in milliseconds since the epoch.
 */
export async function requestPageTranslations(
  tx: Transaction,
  { pageId, now }: { pageId: PageId; now: number },
): Promise<void> {
  const rows = await tx<{ text: string }[]>`
    with shown as (
      select id, title, summary from incidents
      where page_id = ${pageId} and (resolved_at is null or id in (
        select id from incidents where page_id = ${pageId} and resolved_at is not null
        order by started_at desc, id desc limit ${incidentLimits.ledgerResolved})))
    select title as text from shown
    union select summary from shown
    union select u.body from incident_updates u join shown on shown.id = u.incident_id`;
  await requestTranslations(tx, { pageId, texts: rows.map(({ text }) => text), now });
}

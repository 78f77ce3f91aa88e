import type { Clock } from '../contract/clock.js';
import type { PageId } from '../contract/ids.js';
import { type Capability, capabilities } from '../contract/scopes.js';
import { inTransaction } from '../sql/in-transaction.js';
import type { Sql, Transaction } from '../sql/open-postgres.js';
import { ControlError } from './control-error.js';
import { capabilityColumn, checkHistoryDays, type Page } from './page.js';
import { selectPages } from './page-rows.js';
import { pausePageMonitors, resumePageMonitors } from './pause-page-monitors.js';

export type SetPageInput = {
  slug: string;
  /** 7 to 90. */
  historyDays?: number;
  monitoringPaused?: boolean;
  databaseHealthEnabled?: boolean;
  /** Whether a monitor that goes down opens an incident. */
  incidentsFromMonitors?: boolean;
  /** Capabilities of the account that owns the page, and so of every page of that account. */
  capabilities?: Partial<Record<Capability, boolean>>;
};

/**
 * Changes what is given and nothing else; answers the whole page.
 *
 * @throws ControlError when there is no such page or a value is out of range.
 */
export async function setPage(
  { sql, clock }: { sql: Sql; clock: Clock },
  input: SetPageInput,
): Promise<Page> {
  if (input.historyDays !== undefined) checkHistoryDays(input.historyDays);
  const pages = await inTransaction(sql, async (tx) => {
    const [row] = await tx<{ id: PageId; account_id: string; monitoring_paused: boolean }[]>`
      select id, account_id, monitoring_paused from pages where slug = ${input.slug} for update`;
    if (row === undefined) return [];
    const { monitoringPaused = row.monitoring_paused } = input;
    await tx`
      update pages set
        history_days = coalesce(${input.historyDays ?? null}, history_days),
        monitoring_paused = ${monitoringPaused},
        database_health_enabled = coalesce(${input.databaseHealthEnabled ?? null}, database_health_enabled),
        incidents_from_monitors = coalesce(${input.incidentsFromMonitors ?? null}, incidents_from_monitors)
      where id = ${row.id}`;
    if (monitoringPaused !== row.monitoring_paused) {
      await (monitoringPaused ? pausePageMonitors : resumePageMonitors)(tx, row.id, clock.now());
    }
    await setCapabilities(tx, row.account_id, input.capabilities ?? {});
    return selectPages(tx, tx`p.slug = ${input.slug}`);
  });
  const [page] = pages;
  if (page === undefined) throw new ControlError(`There is no page with the slug "${input.slug}".`);
  return page;
}

async function setCapabilities(
  tx: Transaction,
  accountId: string,
  wanted: Partial<Record<Capability, boolean>>,
): Promise<void> {
  for (const capability of capabilities) {
    const on = wanted[capability];
    if (on === undefined) continue;
    await tx`update accounts set ${tx({ [capabilityColumn[capability]]: on })} where id = ${accountId}`;
  }
}

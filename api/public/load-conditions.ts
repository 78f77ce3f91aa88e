import {
  readSummaryWithQuarters,
  type SummaryDeps,
  type WindowFigures,
} from '../../analytics/summary/summary.js';
import type { LedgerEntry } from '../../contract/incidents.js';
import type { PageBrand } from '../../contract/status-page.js';
import type { Summary } from '../../contract/summary.js';
import { loadLedger } from '../../control/incidents/index.js';
import { findPage } from '../../control/pages/find-page.js';
import { brandOf } from '../../control/pages/page-looks.js';
import type { PageId } from '../../lib/ids.js';

/** How a page is, for badges, the icon and the widget. */
export type Conditions = {
  brand: PageBrand;
  /** With coverage. */
  summary: Summary;
  /** Of the services of the summary, in its order: the last 90 days. */
  quarters: readonly WindowFigures[];
  incidents: readonly LedgerEntry[];
};

/** Undefined when the page is gone; errors as of `readSummary`. */
export async function readConditions(deps: SummaryDeps, pageId: PageId): Promise<Conditions | undefined> {
  const [page, read, incidents] = await Promise.all([
    findPage(deps, { id: pageId }),
    readSummaryWithQuarters(deps, pageId),
    loadLedger(deps, pageId),
  ]);
  if (page === undefined || read === undefined) return undefined;
  return { brand: brandOf(page, deps.originOf(page.hostname)), ...read, incidents };
}

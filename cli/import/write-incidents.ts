import { loadLedger, recordIncident } from '../../control/incidents/index.js';
import type { CommandContext } from '../core/context.js';
import type { ImportedIncident } from './imported.js';

/**
 * Records past incidents on a page, without telling anybody. One with the same start and title is there already, so that
 * an import can run again.
 *
 * @returns how many were recorded, or would be with `isPlan`
 */
export async function writeIncidents(
  context: CommandContext,
  page: string,
  incidents: readonly ImportedIncident[],
  isPlan: boolean,
): Promise<number> {
  if (incidents.length === 0) return 0;
  const { pageId, ...deps } = await context.openPage(page);
  const keyOf = (startedAt: number, title: string) => `${startedAt} ${title}`;
  const ledger = await loadLedger(deps, pageId);
  const known = new Set(
    ledger.map(({ startedAt, title }) => keyOf(Date.parse(startedAt), Object.values(title)[0] ?? '')),
  );
  const missing = incidents.filter(({ startedAt, title }) => !known.has(keyOf(startedAt, title)));
  if (isPlan) return missing.length;
  // The oldest first, as they were published.
  for (const one of missing.toSorted((a, b) => a.startedAt - b.startedAt)) {
    const { type, title, summary, services, impact } = one;
    await recordIncident(deps, {
      pageId,
      input: {
        ...{ type, title, summary, monitorSlugs: [...services], startedAt: new Date(one.startedAt) },
        // The last update ends it.
        resolvedAt: one.updates.length === 0 ? new Date(one.endedAt) : null,
        scheduledEndAt: type === 'maintenance' ? new Date(one.endedAt) : null,
        ...(impact !== undefined && { impact }),
      },
      publishedAt: Math.min(one.publishedAt, one.startedAt),
      updates: one.updates.map((update, place) => ({ ...update, ...endOf(one, place, update) })),
      texts: [],
    });
  }
  return missing.length;
}

/** What an update of an incident that is over does: only the last one resolves it. */
function endOf(
  { updates, endedAt }: ImportedIncident,
  place: number,
  { status }: ImportedIncident['updates'][number],
): Partial<ImportedIncident['updates'][number]> {
  if (place === updates.length - 1) return { status: 'resolved', at: endedAt };
  return status === 'resolved' ? { status: 'monitoring' } : {};
}

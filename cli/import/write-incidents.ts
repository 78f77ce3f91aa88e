import { loadLedger, recordIncident } from '../../control/incidents/index.js';
import { loadPageId } from '../../control/pages/index.js';
import { ServiceError } from '../../lib/service-error.js';
import type { CommandContext } from '../core/context.js';
import type { ImportedIncident, ImportedMonitor, Left } from './imported.js';

/**
 * Records past incidents on a page, without telling anybody. One with the same start and title is there already, so that
 * an import can run again. One that the service refuses is left.
 *
 * @returns how many were recorded, or would be with `isPlan`
 */
export async function writeIncidents(
  context: CommandContext,
  page: string,
  {
    incidents,
    slugs,
  }: { incidents: readonly ImportedIncident[]; slugs: ReadonlyMap<ImportedMonitor, string> },
  isPlan: boolean,
): Promise<{ count: number; left: Left[] }> {
  const left: Left[] = [];
  if (incidents.length === 0) return { count: 0, left };
  const deps = await context.openControl();
  const pageId = await loadPageId(deps.sql, page);
  const keyOf = (startedAt: number, title: string) => `${startedAt} ${title}`;
  const ledger = await loadLedger(deps, pageId);
  const known = new Set(
    ledger.map(({ startedAt, title }) => keyOf(Date.parse(startedAt), Object.values(title)[0] ?? '')),
  );
  const missing = incidents.filter(({ startedAt, title }) => {
    const key = keyOf(startedAt, title);
    return !known.has(key) && known.add(key);
  });
  if (isPlan) return { count: missing.length, left };
  // The oldest first, as they were published.
  for (const one of missing.toSorted((a, b) => a.startedAt - b.startedAt)) {
    const { type, title, summary, services, impact } = one;
    const input = {
      ...{ type, title, summary, monitorSlugs: services.flatMap((service) => slugs.get(service) ?? []) },
      startedAt: new Date(one.startedAt),
      // The last update ends it.
      resolvedAt: one.updates.length === 0 ? new Date(one.endedAt) : null,
      scheduledEndAt: type === 'maintenance' && one.endedAt > one.startedAt ? new Date(one.endedAt) : null,
      ...(impact !== undefined && { impact }),
    };
    await recordIncident(deps, {
      ...{ pageId, input, texts: [] },
      publishedAt: Math.min(one.publishedAt, one.startedAt),
      updates: one.updates.map((update, place) => ({ ...update, ...endOf(one, place, update) })),
    }).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      left.push({ name: title, why: error.message });
    });
  }
  return { count: missing.length - left.length, left };
}

/** Returns the status and time of an update of an incident that is over: only the last one resolves it. */
function endOf(
  { updates, endedAt }: ImportedIncident,
  place: number,
  { status }: ImportedIncident['updates'][number],
): Partial<ImportedIncident['updates'][number]> {
  if (place === updates.length - 1) return { status: 'resolved', at: endedAt };
  return status === 'resolved' ? { status: 'monitoring' } : {};
}

import type { Entry, Ledger } from './ledger.js';
import type { Send } from './send.js';

/** One step in the life of an incident; `incidentId` is the incident that it changes. */
export type Step = Entry & { incidentId?: string };

const path = '/api/v1/incidents';
export const titlePrefix = 'Outage ';

/**
 * Opens, updates and resolves incidents, one request after another, each with unique texts. Does not repeat a request
 * without an answer, and leaves its incident as it is.
 */
export function createIncidentLoad(send: Send, key: string, monitorSlugs: readonly string[]) {
  const opened: Ledger<Step> = { what: 'incidents opened', acknowledgedBy: 201, entries: [] };
  const updated: Ledger<Step> = { what: 'incident updates', acknowledgedBy: 201, entries: [] };
  const resolved: Ledger<Step> = { what: 'incidents resolved', acknowledgedBy: 200, entries: [] };
  let current: { id: string; next: 'update' | 'resolve' } | undefined;

  async function open(): Promise<void> {
    const entry: Step = { name: `${titlePrefix}${opened.entries.length}` };
    opened.entries.push(entry);
    const startedAt = new Date().toISOString();
    const body = { title: entry.name, summary: 'Requests fail.', startedAt, monitorSlugs };
    const answer = await send({ method: 'POST', path, key, body });
    if (answer === undefined) return;
    entry.answer = answer;
    if (answer.status !== opened.acknowledgedBy) return;
    entry.incidentId = (JSON.parse(answer.text) as { id: string }).id;
    current = { id: entry.incidentId, next: 'update' };
  }

  async function update(incidentId: string): Promise<void> {
    const entry: Step = { name: `Found ${updated.entries.length}`, incidentId };
    updated.entries.push(entry);
    const body = { status: 'identified', body: entry.name };
    const answer = await send({ method: 'POST', path: `${path}/${incidentId}/updates`, key, body });
    if (answer !== undefined) entry.answer = answer;
  }

  async function resolve(incidentId: string): Promise<void> {
    const entry: Step = { name: incidentId, incidentId };
    resolved.entries.push(entry);
    const body = { resolvedAt: new Date().toISOString() };
    const answer = await send({ method: 'PATCH', path: `${path}/${incidentId}`, key, body });
    if (answer !== undefined) entry.answer = answer;
  }

  return {
    ledgers: { opened, updated, resolved },
    async step(): Promise<void> {
      const of = current;
      current = undefined;
      if (of === undefined) return open();
      if (of.next === 'resolve') return resolve(of.id);
      await update(of.id);
      current = { id: of.id, next: 'resolve' };
    },
  };
}

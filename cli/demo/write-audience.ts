import { createChannel, listChannels } from '../../control/channels/index.js';
import { createConnection, listConnections } from '../../control/connections/index.js';
import { createKey, listKeys } from '../../control/keys/index.js';
import { findPage, type Page } from '../../control/pages/index.js';
import { addSubscriber, listSubscribers } from '../../control/subscribers/index.js';
import { createWebhook, listWebhooks } from '../../control/webhooks/index.js';
import { dayMs, hourMs } from '../../lib/times.js';
import type { DemoDeps } from './extent.js';
import type { FilledPage } from './fill.js';

/** Names of no domain that exists (RFC 2606), so that nobody gets an email from a demo. */
const readers: readonly (readonly [name: string, language: string, daysAgo: number])[] = [
  ['operations', 'en', 88],
  ['amara.okafor', 'en', 84],
  ['j.lindqvist', 'en', 79],
  ['support', 'de', 71],
  ['kenji.tanaka', 'ja', 66],
  ['maria.fischer', 'de', 52],
  ['status', 'en', 47],
  ['p.novak', 'en', 33],
  ['yuki.sato', 'ja', 29],
  ['einkauf', 'de', 18],
  ['it-team', 'de', 11],
  ['oncall', 'en', 6],
  ['r.silva', 'en', 2],
];

const demoKeys = [
  { scope: 'ingest', name: 'Shop servers', daysAgo: 86 },
  { scope: 'read', name: 'Grafana', daysAgo: 60 },
  { scope: 'incident', name: 'Deploy pipeline', daysAgo: 41 },
] as const;

/**
 * Gives a page subscribers, a webhook, a channel, keys and a connection where it has none. Keeps what is there. The keys are known
 * to nobody: their secrets are not printed.
 */
export async function writeAudience(deps: DemoDeps, { page }: Pick<FilledPage, 'page'>): Promise<void> {
  await writeSubscribers(deps, page);
  if ((await listWebhooks(deps, { pageId: page.id })).length === 0)
    await createWebhook(before(deps, 30 * dayMs), {
      ...{ pageId: page.id, url: 'https://hooks.demo.invalid/status' },
      events: ['incident.*', 'maintenance.*'],
    });
  if ((await listChannels(deps, { pageId: page.id, limit: 1 })).length === 0)
    await createChannel(before(deps, 30 * dayMs), {
      ...{ pageId: page.id, kind: 'slack', name: '#operations' },
      settings: { url: 'https://hooks.demo.invalid/services/operations' },
      // Nothing of the demo has a certificate, so that nothing is sent to a host that does not exist.
      topics: ['certificate'],
      quietHours: { fromMinute: 22 * 60, toMinute: 7 * 60 },
    });
  const names = new Set((await listKeys(deps, page.id)).map(({ name }) => name));
  for (const { scope, name, daysAgo } of demoKeys)
    if (!names.has(name)) await createKey(before(deps, daysAgo * dayMs), { pageId: page.id, scope, name });
  if ((await listConnections(deps, page.id)).length === 0)
    await createConnection(before(deps, 20 * dayMs), {
      ...{ pageId: page.id, engine: 'postgresql', name: 'orders' },
    });
}

async function writeSubscribers(deps: DemoDeps, { id }: Pick<Page, 'id'>): Promise<void> {
  const page = await findPage(deps, { id });
  if (page === undefined) return;
  if ((await listSubscribers(deps, { pageId: page.id, limit: 1 })).length > 0) return;
  for (const [name, language, daysAgo] of readers)
    await addSubscriber(before(deps, daysAgo * dayMs + 7 * hourMs), {
      ...{ page, email: `${name}@readers.invalid`, language, confirmed: true },
    });
}

/** The dependencies as they were `ms` milliseconds ago. */
function before(deps: DemoDeps, ms: number): DemoDeps {
  const now = deps.clock.now();
  return { ...deps, clock: { now: () => now - ms } };
}

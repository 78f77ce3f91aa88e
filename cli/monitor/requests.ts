import type { Static } from 'typebox';
import { CreatedMonitor, ManagedMonitor, type PutMonitor } from '../../contract/manage/monitors.js';
import { ServiceError } from '../../lib/service-error.js';
import { type Client, Nothing } from '../client/client.js';

/** Names one monitor: by its id, or by the slugs of its page and its own. */
export type MonitorName = { id: string } | { page: string; slug: string };

/** The monitors of the page with the path, in its order. */
export function listMonitors(client: Client, path: string): Promise<ManagedMonitor[]> {
  return client.list(`${path}/monitors`, ManagedMonitor);
}

/** Creates or replaces a monitor. Returns the address of a new heartbeat. */
export async function putMonitor(
  client: Client,
  path: string,
  body: PutMonitor,
): Promise<{ address?: string }> {
  const { url, type }: Static<typeof CreatedMonitor> = await client.send('PUT', path, {
    ...{ answer: CreatedMonitor, body },
  });
  return type === 'heartbeat' && url !== null ? { address: url } : {};
}

export async function removeMonitor(client: Client, path: string): Promise<void> {
  await client.send('DELETE', path, { answer: Nothing });
}

/**
 * The path of a monitor. Routes know it by its slug; over HTTP an id is one of the page of the key.
 *
 * @throws ServiceError `notFound`
 */
export async function monitorPath(client: Client, isRemote: boolean, name: MonitorName): Promise<string> {
  if ('slug' in name) return `${await client.pathOf(name.page)}/monitors/${encodeURIComponent(name.slug)}`;
  if (!isRemote) return client.pathTo('monitor', name);
  const page = await client.pathOf();
  const found = (await listMonitors(client, page)).find(({ id }) => id === name.id.toLowerCase());
  if (found !== undefined) return `${page}/monitors/${found.slug}`;
  throw new ServiceError('notFound', { message: `There is no monitor with the id "${name.id}".` });
}

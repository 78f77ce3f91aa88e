import { CheckOutcome, CreatedMonitor, ManagedMonitor } from '../../contract/manage/monitors.js';
import type { MonitorSettings } from '../../control/monitors/index.js';
import { ServiceError } from '../../lib/service-error.js';
import { Nothing, type Remote } from '../remote/remote.js';
import type { MonitorName, Monitors } from './monitor-port.js';

export function remoteMonitors(remote: Remote): Monitors {
  const listOf = (page: string) => remote.list(`${page}/monitors`, ManagedMonitor);

  /** The routes know monitors by their slugs. */
  async function pathOf(name: MonitorName): Promise<string> {
    if ('slug' in name) {
      return `${await remote.pathOf(name.page)}/monitors/${encodeURIComponent(name.slug)}`;
    }
    const page = await remote.pathOf();
    const found = (await listOf(page)).find(({ id }) => id === name.id.toLowerCase());
    if (found !== undefined) return `${page}/monitors/${found.slug}`;
    throw new ServiceError('notFound', { message: `There is no monitor with the id "${name.id}".` });
  }

  const post = async (name: MonitorName, verb: 'pause' | 'resume') =>
    remote.send('POST', `${await pathOf(name)}/${verb}`, { answer: ManagedMonitor });

  return {
    async create(page, { kind, ...settings }) {
      return remote.send('POST', `${await remote.pathOf(page)}/monitors`, {
        answer: CreatedMonitor,
        body: { ...toBody(settings), type: kind },
      });
    },
    async put(page, slug, body) {
      const path = await pathOf({ page, slug });
      const { url, type } = await remote.send('PUT', path, { answer: CreatedMonitor, body });
      return type === 'heartbeat' && url !== null ? { address: url } : {};
    },
    async list(page) {
      return listOf(await remote.pathOf(page));
    },
    async show(name) {
      return remote.send('GET', await pathOf(name), { answer: ManagedMonitor });
    },
    async change(name, settings) {
      return remote.send('PATCH', await pathOf(name), { answer: ManagedMonitor, body: toBody(settings) });
    },
    pause: (name) => post(name, 'pause'),
    resume: (name) => post(name, 'resume'),
    async check(name) {
      return remote.send('POST', `${await pathOf(name)}/check`, { answer: CheckOutcome });
    },
    async remove(name) {
      const path = await pathOf(name);
      const monitor = await remote.send('GET', path, { answer: ManagedMonitor });
      await remote.send('DELETE', path, { answer: Nothing });
      return monitor;
    },
  };
}

function toBody({ headers, ...settings }: MonitorSettings): object {
  return {
    ...settings,
    ...(headers !== undefined && { headers: headers.map(([name, value]) => ({ name, value })) }),
  };
}

import { MonitorGroup, type PutMonitorGroup } from '../../contract/manage/monitor-groups.js';
import { deleteGroup, type Group, listGroups, putGroup } from '../../control/monitors/index.js';
import { loadPageId } from '../../control/pages/index.js';
import type { CommandContext } from '../core/context.js';
import { Nothing, type Remote } from '../remote/remote.js';

/** The groups of monitors of an installation, on its stores or over HTTP. */
export type Groups = {
  /** In the order of the page. */
  list(page: string): Promise<MonitorGroup[]>;
  /** Creates or replaces. */
  put(page: string, slug: string, group: PutMonitorGroup): Promise<MonitorGroup>;
  remove(page: string, slug: string): Promise<void>;
};

export function groupsOf(context: CommandContext): Groups {
  return context.remote === undefined ? localGroups(context) : remoteGroups(context.remote);
}

function localGroups(context: CommandContext): Groups {
  return {
    async list(page) {
      const { sql, pageId } = await context.openPage(page);
      return (await listGroups({ sql }, { pageId })).map(toMonitorGroup);
    },
    async put(page, slug, { name, names, collapsed }) {
      const deps = await context.openControl();
      const pageId = await loadPageId(deps.sql, page);
      const { group } = await putGroup(deps, {
        ...{ pageId, slug, name, names: names ?? {}, collapsed: collapsed ?? false },
      });
      return toMonitorGroup(group);
    },
    async remove(page, slug) {
      const deps = await context.openControl();
      await deleteGroup(deps, { pageId: await loadPageId(deps.sql, page), slug });
    },
  };
}

function remoteGroups(remote: Remote): Groups {
  const pathOf = async (page: string, slug: string) =>
    `${await remote.pathOf(page)}/groups/${encodeURIComponent(slug)}`;
  return {
    async list(page) {
      return remote.list(`${await remote.pathOf(page)}/groups`, MonitorGroup);
    },
    async put(page, slug, body) {
      return remote.send('PUT', await pathOf(page, slug), { answer: MonitorGroup, body });
    },
    async remove(page, slug) {
      await remote.send('DELETE', await pathOf(page, slug), { answer: Nothing });
    },
  };
}

function toMonitorGroup({ slug, name, names, collapsed, position, createdAt }: Group): MonitorGroup {
  return { slug, name, names, collapsed, position, createdAt: createdAt.toISOString() };
}

import type { Incident, IncidentUpdate, UpdateStatus } from '../../contract/incidents.js';
import {
  AppendedManagedUpdate,
  ListedIncident,
  ManagedIncident,
} from '../../contract/manage/incidents/incidents.js';
import {
  appendUpdate,
  changeIncident,
  createIncident,
  listManagedIncidents,
  loadIncidentPage,
  loadScheduledEnds,
  parseIncidentChange,
  parseNewIncident,
  parseNewUpdate,
} from '../../control/incidents/index.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { CommandContext, ControlStore } from '../core/context.js';
import type { Remote } from '../remote/remote.js';
import type { Ref } from './ref.js';

export type ShownIncident = Incident & { scheduledEndAt: string | null };

/** The incidents of an installation, on its stores or over HTTP. Bodies are those of the API. */
export type Incidents = {
  create(page: string, body: { notify: boolean }): Promise<ShownIncident>;
  /** The latest start first. `open`: only those without an end. */
  list(page: string, filter: { open: boolean; limit: number }): Promise<ListedIncident[]>;
  update(ref: Ref, body: { body: string; status: UpdateStatus; notify: boolean }): Promise<IncidentUpdate>;
  resolve(ref: Ref, body: { resolvedAt: string; notify: boolean }): Promise<ShownIncident>;
};

export function incidentsOf(context: CommandContext): Incidents {
  return context.remote === undefined ? localIncidents(context) : remoteIncidents(context.remote);
}

function localIncidents(context: CommandContext): Incidents {
  return {
    async create(page, body) {
      const { pageId, ...deps } = await context.openPage(page);
      const { notify, ...fields } = body;
      const input = parseNewIncident(fields);
      return withEnd(deps, pageId, await createIncident(deps, { pageId, input, notify }));
    },
    async list(page, { open, limit }) {
      const { pageId, ...deps } = await context.openPage(page);
      if (!open) return listManagedIncidents(deps, { pageId, limit });
      const states = ['open', 'scheduled'] as const;
      return latest(
        await Promise.all(states.map((state) => listManagedIncidents(deps, { pageId, state, limit }))),
        limit,
      );
    },
    async update({ id }, body) {
      const deps = await context.openControl();
      const input = parseNewUpdate(body);
      const update = await appendUpdate(deps, { ...(await loadIncidentPage(deps, { id })), input });
      return update ?? noSuchIncident(id);
    },
    async resolve({ id }, body) {
      const deps = await context.openControl();
      const change = parseIncidentChange(body);
      const found = await loadIncidentPage(deps, { id });
      const incident = (await changeIncident(deps, { ...found, change })) ?? noSuchIncident(id);
      return withEnd(deps, found.pageId, incident);
    },
  };
}

async function withEnd(deps: ControlStore, pageId: PageId, incident: Incident): Promise<ShownIncident> {
  const ends = await loadScheduledEnds(deps, { pageId, ids: [incident.id] });
  return { ...incident, scheduledEndAt: ends.get(incident.id) ?? null };
}

function latest(lists: readonly ListedIncident[][], limit: number): ListedIncident[] {
  const all = lists.flat().sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
  return all.slice(0, limit);
}

function noSuchIncident(id: string): never {
  throw new ServiceError('notFound', { message: `There is no incident with the id "${id}".` });
}

function remoteIncidents(remote: Remote): Incidents {
  const pathOf = async ({ id, page }: Ref) =>
    `${await remote.pathOf(page)}/incidents/${encodeURIComponent(id)}`;
  return {
    async create(page, body) {
      const path = `${await remote.pathOf(page)}/incidents`;
      return toShown(await remote.send('POST', path, { answer: ManagedIncident, body }));
    },
    async list(page, { open, limit }) {
      const path = `${await remote.pathOf(page)}/incidents`;
      if (!open) return remote.list(path, ListedIncident, limit);
      const states = ['open', 'scheduled'];
      return latest(
        await Promise.all(
          states.map((state) => remote.list(`${path}?state=${state}`, ListedIncident, limit)),
        ),
        limit,
      );
    },
    async update(ref, body) {
      const path = `${await pathOf(ref)}/updates`;
      const answer = await remote.send('POST', path, { answer: AppendedManagedUpdate, body });
      const { id, incidentId, status, notify, resolvedIncident } = answer;
      return { id, incidentId, status, body: answer.body, notify, resolvedIncident };
    },
    async resolve(ref, body) {
      return toShown(await remote.send('PATCH', await pathOf(ref), { answer: ManagedIncident, body }));
    },
  };
}

function toShown(incident: ManagedIncident): ShownIncident {
  const { id, type, title, summary, monitorSlugs, impact, serviceStates } = incident;
  const { startedAt, resolvedAt, scheduledEndAt } = incident;
  return {
    ...{ id, type, title, summary, monitorSlugs },
    ...(impact !== null && { impact }),
    ...(Object.keys(serviceStates).length > 0 && { serviceStates }),
    ...{ startedAt, resolvedAt, scheduledEndAt },
  };
}

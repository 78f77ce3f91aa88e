import { Postmortem, type PutPostmortem } from '../../contract/manage/incidents/postmortems.js';
import { loadIncidentPage } from '../../control/incidents/index.js';
import {
  deletePostmortem,
  findPostmortem,
  putPostmortem,
  toManagedPostmortem,
} from '../../control/postmortems/index.js';
import { ServiceError } from '../../lib/service-error.js';
import type { CommandContext } from '../core/context.js';
import { Nothing, type Remote } from '../remote/remote.js';
import type { Ref } from './ref.js';

/** The postmortems of an installation, on its stores or over HTTP, by their incidents. */
export type Postmortems = {
  /** @throws ServiceError `notFound` when there is no such incident, or none about it; so do the others. */
  show(incident: Ref): Promise<Postmortem>;
  publish(incident: Ref, body: PutPostmortem): Promise<Postmortem>;
  delete(incident: Ref): Promise<void>;
};

export function postmortemsOf(context: CommandContext): Postmortems {
  return context.remote === undefined ? localPostmortems(context) : remotePostmortems(context.remote);
}

function localPostmortems(context: CommandContext): Postmortems {
  return {
    async show({ id }) {
      const deps = await context.openControl();
      const found = await findPostmortem(deps.sql, await loadIncidentPage(deps, { id }));
      return toManagedPostmortem(found ?? noPostmortem(id));
    },
    async publish({ id }, body) {
      const deps = await context.openControl();
      const put = await putPostmortem(deps, { ...(await loadIncidentPage(deps, { id })), ...body });
      return toManagedPostmortem(put?.postmortem ?? noPostmortem(id));
    },
    async delete({ id }) {
      const deps = await context.openControl();
      if (!(await deletePostmortem(deps, await loadIncidentPage(deps, { id })))) noPostmortem(id);
    },
  };
}

function noPostmortem(id: string): never {
  throw new ServiceError('notFound', { message: `The incident "${id}" has no postmortem.` });
}

function remotePostmortems(remote: Remote): Postmortems {
  const pathOf = async ({ id, page }: Ref) =>
    `${await remote.pathOf(page)}/incidents/${encodeURIComponent(id)}/postmortem`;
  return {
    show: async (incident) => remote.send('GET', await pathOf(incident), { answer: Postmortem }),
    publish: async (incident, body) =>
      remote.send('PUT', await pathOf(incident), { answer: Postmortem, body }),
    async delete(incident) {
      await remote.send('DELETE', await pathOf(incident), { answer: Nothing });
    },
  };
}

import { type PutTemplate, Template } from '../../contract/manage/incidents/templates.js';
import { loadPageId } from '../../control/pages/index.js';
import {
  deleteTemplate,
  listTemplates,
  parseTemplate,
  putTemplate,
  templateJson,
} from '../../control/templates/index.js';
import type { CommandContext } from '../core/context.js';
import { Nothing, type Remote } from '../remote/remote.js';

/** The templates of incidents of an installation, on its stores or over HTTP. */
export type Templates = {
  /** By slug. */
  list(page: string): Promise<Template[]>;
  /** Creates or replaces. */
  put(page: string, slug: string, fields: PutTemplate): Promise<Template>;
  remove(page: string, slug: string): Promise<void>;
};

export function templatesOf(context: CommandContext): Templates {
  return context.remote === undefined ? localTemplates(context) : remoteTemplates(context.remote);
}

function localTemplates(context: CommandContext): Templates {
  return {
    async list(page) {
      const { sql, pageId } = await context.openPage(page);
      return (await listTemplates({ sql }, { pageId })).map(templateJson);
    },
    async put(page, slug, body) {
      const deps = await context.openControl();
      const pageId = await loadPageId(deps.sql, page);
      const { template } = await putTemplate(deps, { pageId, slug, fields: parseTemplate(body) });
      return templateJson(template);
    },
    async remove(page, slug) {
      const deps = await context.openControl();
      await deleteTemplate(deps, { pageId: await loadPageId(deps.sql, page), slug });
    },
  };
}

function remoteTemplates(remote: Remote): Templates {
  const listPath = async (page: string) => `${await remote.pathOf(page)}/templates`;
  const pathOf = async (page: string, slug: string) => `${await listPath(page)}/${encodeURIComponent(slug)}`;
  return {
    async list(page) {
      return remote.list(await listPath(page), Template);
    },
    async put(page, slug, body) {
      return remote.send('PUT', await pathOf(page, slug), { answer: Template, body });
    },
    async remove(page, slug) {
      await remote.send('DELETE', await pathOf(page, slug), { answer: Nothing });
    },
  };
}

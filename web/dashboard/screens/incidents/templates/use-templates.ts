import type { Template } from '../../../../../contract/manage/incidents/templates.js';
import type { ManagedPage } from '../../../../../contract/manage/pages.js';
import { pagePath } from '../../../reads/api-path.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';

/** All templates of the page: there are at most 100. */
export function useTemplates(): Read<{ items: Template[] }> {
  const { slug } = usePage();
  return useRead(pagePath(slug, '/templates', { limit: '200' }));
}

/** The path of one template in the management API. */
export function templatePath(page: string, slug: string): string {
  return pagePath(page, `/templates/${encodeURIComponent(slug)}`);
}

/** The languages of the page, the default one first. */
export function useLanguages(): Read<ManagedPage> & { languages: readonly string[] | undefined } {
  const { slug } = usePage();
  const read = useRead<ManagedPage>(pagePath(slug, ''));
  const { defaultLanguage = '', languages = [] } = read.data ?? {};
  const others = languages.filter((language) => language !== defaultLanguage);
  return { ...read, languages: read.data && [defaultLanguage, ...others] };
}

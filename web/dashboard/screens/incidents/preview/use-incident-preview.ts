import type { IncidentPreview } from '../../../../../contract/manage/incidents/incident-preview.js';
import { pagePath } from '../../../reads/api-path.js';
import { type Preview, usePreview } from '../../../reads/use-preview.js';
import { usePage } from '../../../session.js';
import type { IncidentDraft } from './draft.js';

/** What readers would get of a draft in a language. A language shows at once. */
export function useIncidentPreview(draft: IncidentDraft, language: string): Preview<IncidentPreview> {
  const { slug } = usePage();
  return usePreview(pagePath(slug, '/incidents/preview'), bodyOf(draft, language), { choice: language });
}

/** What is empty yet is left out. */
function bodyOf({ monitorSlugs, startedAt, ...draft }: IncidentDraft, language: string): object {
  return {
    ...{ ...draft, language },
    ...(monitorSlugs && { monitorSlugs: [...monitorSlugs] }),
    ...(startedAt && { startedAt }),
  };
}

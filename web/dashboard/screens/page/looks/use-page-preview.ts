import type { PagePreview } from '../../../../../contract/manage/pages/preview.js';
import type { ManagedPage } from '../../../../../contract/manage/pages.js';
import { pagePath } from '../../../reads/api-path.js';
import { type Preview, usePreview } from '../../../reads/use-preview.js';

/** The page with these settings. What is saved meanwhile, such as a logo, shows as well. */
export function usePagePreview(page: ManagedPage, settings: object): Preview<PagePreview> {
  return usePreview(pagePath(page.slug, '/preview'), settings, { saved: page });
}

import type { PageChanges } from './change-page.js';
import type { Page } from './page.js';
import { checkHistoryDays, checkName, parseAccent, parseFooterLinks } from './parse-page.js';

export type PageLooks = Pick<PageChanges, 'name' | 'accent' | 'footerLinks' | 'logoAlone' | 'historyDays'>;

/**
 * A page as it would be with these changes; nothing is stored.
 *
 * @throws ServiceError `invalidBody` for what changePage() would refuse
 */
export function withLooks(page: Page, looks: PageLooks): Page {
  const { name, accent, footerLinks, logoAlone, historyDays } = looks;
  if (name !== undefined) checkName(name);
  if (historyDays !== undefined) checkHistoryDays(historyDays);
  return {
    ...page,
    ...(name !== undefined && { name }),
    ...(accent !== undefined && { accent: accent && parseAccent(accent) }),
    ...(footerLinks !== undefined && { footerLinks: parseFooterLinks(footerLinks) }),
    ...(logoAlone !== undefined && { logoAlone }),
    ...(historyDays !== undefined && { historyDays }),
  };
}

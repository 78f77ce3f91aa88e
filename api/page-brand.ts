import type { PageBrand } from '../contract/status-page.js';
import type { Page } from '../control/page.js';

/** What a page says of itself wherever it is shown; `originOf` gives where a host is reached. */
export function toBrand(page: Page, originOf: (hostname: string) => string): PageBrand {
  return {
    slug: page.slug,
    name: page.name,
    origin: originOf(page.hostname),
    languages: page.languages,
    defaultLanguage: page.defaultLanguage,
    ...(page.accent !== null && { accent: page.accent }),
    ...(page.logoHash !== null && { logoPath: `/logo/${page.logoHash}` }),
    footerLinks: page.footerLinks,
  };
}

import { findLogo, type Page } from '../../control/pages/index.js';
import type { Sql } from '../../sql/open-postgres.js';

/**
 * The logo of a page as an address that holds its bytes, for documents that load nothing from the host of the page.
 * `isSvg` is for emails, whose readers show none. Returns `undefined` for a page without a logo.
 */
export async function inlinedLogo(
  deps: { sql: Sql },
  { hostname, logoHash }: Pick<Page, 'hostname' | 'logoHash'>,
): Promise<{ url: string; isSvg: boolean } | undefined> {
  const logo = logoHash === null ? undefined : await findLogo(deps, { hostname, hash: logoHash });
  if (logo === undefined) return undefined;
  const { mediaType, bytes } = logo;
  return {
    url: `data:${mediaType};base64,${bytes.toString('base64')}`,
    isSvg: mediaType === 'image/svg+xml',
  };
}

import { createHash } from 'node:crypto';
import { looksLimits } from '../../contract/public/status-page.js';
import type { PageId } from '../../lib/ids.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { invalidPage } from './parse-page.js';

export type Logo = { bytes: Buffer; mediaType: string; hash: string };

/**
 * A logo from the bytes of an image, whose type the bytes alone decide.
 *
 * @throws ServiceError `invalidBody` when the image is empty, too large, or not of a supported type.
 */
export function parseLogo(bytes: Buffer): Logo {
  const { logoBytes } = looksLimits;
  if (bytes.length > logoBytes) {
    throw invalidPage(undefined, `The logo is larger than ${logoBytes / 1024} KiB.`);
  }
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === undefined)
    throw invalidPage(undefined, 'The logo must be a PNG, JPEG, GIF, WebP or SVG image.');
  return { bytes, mediaType, hash: createHash('sha256').update(bytes).digest('hex').slice(0, 32) };
}

/**
 * The logo with this hash, if the page on this host name (in lower case) has it now. Returns `undefined` otherwise.
 */
export async function findLogo(
  { sql }: { sql: Sql },
  { hostname, hash }: { hostname: string; hash: string },
): Promise<{ bytes: Buffer; mediaType: string } | undefined> {
  if (!/^[0-9a-f]{32}$/.test(hash)) return undefined;
  const [logo] = await sql<{ bytes: Buffer; mediaType: string }[]>`
    select l.bytes, l.media_type as "mediaType"
    from page_logos l join pages p on p.id = l.page_id
    where p.hostname = ${hostname} and p.deleted_at is null and l.hash = ${hash}`;
  return logo;
}

/** Sets the logo of the page; null removes it. */
export async function setLogo(tx: Transaction, pageId: PageId, logo: Logo | null): Promise<void> {
  if (logo === null) {
    await tx`delete from page_logos where page_id = ${pageId}`;
    return;
  }
  const { bytes, mediaType, hash } = logo;
  await tx`
    insert into page_logos (page_id, bytes, media_type, hash) values (${pageId}, ${bytes}, ${mediaType}, ${hash})
    on conflict (page_id) do update
      set bytes = excluded.bytes, media_type = excluded.media_type, hash = excluded.hash`;
}

/** Returns the type by its first bytes (WHATWG, MIME Sniffing, section 6.1), or `undefined` for any other type. */
function mediaTypeOf(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 14).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif';
  if (start.startsWith('RIFF') && start.endsWith('WEBPVP')) return 'image/webp';
  return isSvg(decodeUtf8(bytes)) ? 'image/svg+xml' : undefined;
}

/** Whether the first element is an SVG element, after the declaration, comments and document type of XML. */
function isSvg(text: string): boolean {
  let rest = text.trimStart();
  for (;;) {
    const end = endOfPrologue(rest);
    if (end === undefined) return /^<svg[\s>]/.test(rest);
    const at = rest.search(end);
    if (at === -1) return false;
    rest = rest.slice(at).replace(end, '').trimStart();
  }
}

/**
 * Matches the end of the declaration, comment or document type that the text starts with. Returns `undefined` when it
 * starts with none.
 */
function endOfPrologue(text: string): RegExp | undefined {
  if (text.startsWith('<?')) return /\?>/;
  if (text.startsWith('<!--')) return /-->/;
  if (!/^<!DOCTYPE\s+svg\b/.test(text)) return undefined;
  return /^[^>]*\[/.test(text) ? /\]\s*>/ : />/;
}

/** Returns the text without a byte order mark, or an empty text for bytes that are not UTF-8. */
function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return '';
  }
}

import { createHash } from 'node:crypto';
import { looksLimits } from '../../contract/status-page.js';
import { ControlError } from '../../lib/control-error.js';
import type { PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';

export type Logo = { bytes: Buffer; mediaType: string; hash: string };

/**
 * An image of one of the types that a page may have as its logo, told by its bytes alone.
 *
 * @throws ControlError when it is empty, too large, or none of those.
 */
export function readLogo(bytes: Buffer): Logo {
  const { logoBytes } = looksLimits;
  if (bytes.length > logoBytes) {
    throw new ControlError(`The logo is larger than ${logoBytes / 1024} KiB.`);
  }
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === undefined)
    throw new ControlError('The logo must be a PNG, JPEG, GIF, WebP or SVG image.');
  return { bytes, mediaType, hash: createHash('sha256').update(bytes).digest('hex').slice(0, 32) };
}

/** Gives the page the logo, or with null takes its logo away. */
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

/** By the first bytes of each type (WHATWG, MIME Sniffing, section 6.1); undefined for any other. */
function mediaTypeOf(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 14).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif';
  if (start.startsWith('RIFF') && start.endsWith('WEBPVP')) return 'image/webp';
  return isSvg(readUtf8(bytes)) ? 'image/svg+xml' : undefined;
}

/** Whether an SVG element comes first, after the declaration, comments and document type that XML has before it. */
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

/** What ends the declaration, comment or document type that the text begins with; undefined when it begins with none. */
function endOfPrologue(text: string): RegExp | undefined {
  if (text.startsWith('<?')) return /\?>/;
  if (text.startsWith('<!--')) return /-->/;
  if (!/^<!DOCTYPE\s+svg\b/.test(text)) return undefined;
  return /^[^>]*\[/.test(text) ? /\]\s*>/ : />/;
}

/** Without a byte order mark; empty for what is no UTF-8. */
function readUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return '';
  }
}

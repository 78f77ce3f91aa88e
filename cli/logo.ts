import { open } from 'node:fs/promises';
import { looksLimits } from '../contract/public/status-page.js';
import { download } from '../lib/outbound/download.js';
import type { Config } from '../service/config.js';

const timeoutMs = 10_000;

/**
 * Returns the bytes of the logo in a file or at a URL; null for `none`.
 *
 * @throws DownloadError, or an error of the file system; Error when it is too large.
 */
export async function loadLogo(
  source: string,
  { allowPrivateAddresses, baseUrl }: Pick<Config, 'allowPrivateAddresses' | 'baseUrl'>,
): Promise<Buffer | null> {
  if (source === 'none') return null;
  // A scheme has two letters at least: one letter is a drive.
  if (!/^[a-z][a-z0-9+.-]+:/i.test(source)) return readLogo(source, looksLimits.logoBytes);
  return download(source, {
    ...{ bytesMax: looksLimits.logoBytes, timeoutMs },
    allowPrivateAddresses: allowPrivateAddresses ?? baseUrl === undefined,
  });
}

async function readLogo(path: string, bytesMax: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const parts: Buffer[] = [];
    for await (const part of file.createReadStream({ end: bytesMax })) parts.push(part);
    const logo = Buffer.concat(parts);
    if (logo.length <= bytesMax) return logo;
    throw new Error(`${path} is larger than ${bytesMax / 1024} KiB, the most that a logo may have.`);
  } finally {
    await file.close();
  }
}

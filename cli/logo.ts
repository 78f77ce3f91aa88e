import { open } from 'node:fs/promises';
import { looksLimits } from '../contract/public/status-page.js';
import { download } from '../lib/outbound/download.js';
import type { Config } from '../service/config.js';

const timeoutMs = 10_000;

/**
 * The bytes of the logo in a file or at a URL; null for `none`. Reads one byte more of a file than a logo may have, so
 * that the verb refuses a larger one.
 *
 * @throws DownloadError, or an error of the file system.
 */
export async function loadLogo(
  source: string,
  { allowPrivateAddresses, baseUrl }: Pick<Config, 'allowPrivateAddresses' | 'baseUrl'>,
): Promise<Buffer | null> {
  if (source === 'none') return null;
  // A scheme has two letters at least: one letter is a drive.
  if (!/^[a-z][a-z0-9+.-]+:/i.test(source)) return readStart(source, looksLimits.logoBytes + 1);
  return download(source, {
    ...{ bytesMax: looksLimits.logoBytes, timeoutMs },
    allowPrivateAddresses: allowPrivateAddresses ?? baseUrl === undefined,
  });
}

async function readStart(path: string, bytesMax: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const parts: Buffer[] = [];
    for await (const part of file.createReadStream({ end: bytesMax - 1 })) parts.push(part);
    return Buffer.concat(parts);
  } finally {
    await file.close();
  }
}

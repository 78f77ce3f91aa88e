import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { PageAssets } from '../web/page-assets.js';
import { makeRepresentation, type Representation } from './representation.js';

/** The files that every page loads, as they are served. */
export type LoadedAssets = {
  paths: PageAssets;
  /** By the last part of the path. */
  files: ReadonlyMap<string, Representation>;
};

// This module runs in dist/api/. The compiler makes scripts and leaves styles where they are.
const sources = {
  styles: { name: 'page', extension: 'css', url: new URL('../../web/static/page.css', import.meta.url) },
  theme: { name: 'theme', extension: 'js', url: new URL('../web/client/theme.js', import.meta.url) },
  live: { name: 'live', extension: 'js', url: new URL('../web/client/live.js', import.meta.url) },
  details: { name: 'details', extension: 'js', url: new URL('../web/client/details.js', import.meta.url) },
} as const satisfies Record<keyof PageAssets, { name: string; extension: string; url: URL }>;

export const assetMediaTypes = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' };
const cacheControl = 'public, max-age=31536000, immutable';
const headers = ['x-content-type-options', 'nosniff', 'cross-origin-resource-policy', 'same-origin'];

type LoadedAsset = { path: string; file: string; representation: Representation };

/**
 * Reads and compresses the files once. Their addresses have a hash of their content, so that browsers and caches
 * keep them for good, and a new version of the service is seen at once.
 *
 * @throws Error with one sentence for the operator when one is missing.
 */
export async function loadAssets(): Promise<LoadedAssets> {
  const [styles, theme, live, details] = await Promise.all([
    loadAsset('styles'),
    loadAsset('theme'),
    loadAsset('live'),
    loadAsset('details'),
  ]);
  return {
    paths: { styles: styles.path, theme: theme.path, live: live.path, details: details.path },
    files: new Map([styles, theme, live, details].map(({ file, representation }) => [file, representation])),
  };
}

async function loadAsset(kind: keyof PageAssets): Promise<LoadedAsset> {
  const { name, extension, url } = sources[kind];
  const text = await readFile(url, 'utf8').catch((cause: unknown) => {
    throw new Error(`${url.pathname} cannot be read; "npm run build" makes it.`, { cause });
  });
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  const file = `${name}.${hash}.${extension}`;
  const contentType = assetMediaTypes[extension];
  const representation = await makeRepresentation(text, { contentType, cacheControl, headers }, 'best');
  return { path: `/assets/${file}`, file, representation };
}

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { AccountAssets } from '../../web/account/account-document.js';
import type { DashboardAssets } from '../../web/account/dashboard-document.js';
import type { ViewAssets } from '../../web/views/view-context.js';
import { loadDashboardAssets } from './dashboard-assets.js';
import { makeRepresentation, type Representation } from './representation.js';

/** The files that every view loads, as they are served. */
export type LoadedAssets = {
  paths: ViewAssets;
  /** Those of the pages on which people sign in. */
  account: AccountAssets;
  /** Those of the application of the people who run pages. */
  dashboard: DashboardAssets;
  /** By the last part of their path. */
  files: ReadonlyMap<string, Representation>;
};

/** The files that make one asset, in their order. */
type Source = { extension: 'css' | 'js'; urls: readonly URL[] };

// This module runs in dist/api/public/. The compiler puts scripts into dist and leaves styles where they are.
const script = (name: string): Source => ({
  extension: 'js',
  urls: [new URL(`../../web/client/${name}.js`, import.meta.url)],
});
const style = (...names: string[]): Source => ({
  extension: 'css',
  urls: names.map((name) => new URL(`../../../web/static/${name}.css`, import.meta.url)),
});

export const assetMediaTypes = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};
const cacheControl = 'public, max-age=31536000, immutable';
const headers = ['x-content-type-options', 'nosniff', 'cross-origin-resource-policy', 'same-origin'];
/**
 * Reads and compresses the files once. Their addresses contain a hash of their content, so that browsers and caches
 * keep them forever, and visitors get a new version of the service at once.
 *
 * @throws Error with one sentence for the operator when a file is missing
 */
export async function loadAssets(): Promise<LoadedAssets> {
  const files = new Map<string, Representation>();
  const load = async (name: string, { extension, urls }: Source): Promise<string> => {
    const text = (await Promise.all(urls.map(read))).join('\n');
    const file = `${name}.${hashOf(text)}.${extension}`;
    const contentType = assetMediaTypes[extension];
    files.set(file, await makeRepresentation(text, { contentType, cacheControl, headers }, 'best'));
    return `/assets/${file}`;
  };
  const paths = {
    styles: await load('page', style('colours', 'page')),
    theme: await load('theme', script('theme')),
    live: await load('live', script('live')),
    details: await load('details', script('details')),
    chart: await load('chart', script('chart')),
  };
  const account = {
    ...{ styles: paths.styles, theme: paths.theme },
    account: await load('account', style('account')),
    linkCode: await load('link-code', script('link-code')),
  };
  const dashboard = await loadDashboardAssets(files, { cacheControl, headers, mediaTypes: assetMediaTypes });
  return { paths, account, dashboard, files };
}

async function read(url: URL): Promise<Buffer> {
  return readFile(url).catch((cause: unknown) => {
    throw new Error(`${url.pathname} cannot be read. Run "npm run build" to make it.`, { cause });
  });
}

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 12);
}

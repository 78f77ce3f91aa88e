import { readFileSync } from 'node:fs';
import type { AccountAssets } from '../../web/account/account-document.js';
import type { LanguageAssets } from '../../web/account/dashboard-document.js';
import type { ViewAssets } from '../../web/views/view-context.js';
import { makePrecompressed, type Representation } from './representation.js';

/** The files that every view loads, as they are served. */
export type LoadedAssets = {
  paths: ViewAssets;
  /** For the pages on which people sign in. */
  account: AccountAssets;
  /** For the dashboard. */
  dashboard: LanguageAssets;
  /** By the last part of their path. */
  files: ReadonlyMap<string, Representation>;
};

/** The part of a manifest of the dashboard that the service needs; see bin/build/bundle.js. */
type Manifest = { script: string; styles: string; files: Record<string, { imports: string[] }> };

// This module runs in dist/api/public/.
const viewFolder = new URL('../../web/assets/', import.meta.url);
const dashboardFolder = new URL('../../web/bundle/', import.meta.url);

export const assetMediaTypes = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};
const cacheControl = 'public, max-age=31536000, immutable';
const headers = ['x-content-type-options', 'nosniff', 'cross-origin-resource-policy', 'same-origin'];

/**
 * Reads the files, which the build has compressed. Their names contain a hash of their content, so that browsers and
 * caches keep them forever, and visitors get a new version of the service at once. Reading the files of the
 * dashboard takes 3 ms in this thread, and 15 ms in the thread pool.
 *
 * @throws Error with one sentence for the operator when a file is missing
 */
export function loadAssets(): LoadedAssets {
  const files = new Map<string, Representation>();
  const views = loadViewAssets(files);
  return { ...views, dashboard: loadDashboardAssets(files), files };
}

function loadViewAssets(files: Map<string, Representation>): Pick<LoadedAssets, 'paths' | 'account'> {
  const manifest: Record<string, string> = JSON.parse(read(viewFolder, 'manifest.json').toString());
  for (const name of Object.values(manifest)) files.set(name, loadFile(viewFolder, name));
  const pathOf = (asset: string): string => {
    const name = manifest[asset];
    if (name === undefined) throw new Error(`The build has no ${asset}.`);
    return `/assets/${name}`;
  };
  const paths = {
    styles: pathOf('page.css'),
    theme: pathOf('theme.js'),
    live: pathOf('live.js'),
    details: pathOf('details.js'),
    chart: pathOf('chart.js'),
  };
  const account = {
    ...{ styles: paths.styles, theme: paths.theme },
    account: pathOf('account.css'),
    linkCode: pathOf('link-code.js'),
    sendAgain: pathOf('send-again.js'),
  };
  return { paths, account };
}

/** Returns the addresses of the files that the document of the dashboard loads in each language. */
function loadDashboardAssets(files: Map<string, Representation>): LanguageAssets {
  const manifests: { en: Manifest } & Record<string, Manifest> = JSON.parse(
    read(dashboardFolder, 'manifest.json').toString(),
  );
  const names = new Set(Object.values(manifests).flatMap((manifest) => Object.keys(manifest.files)));
  for (const name of names) files.set(name, loadFile(dashboardFolder, name));
  const pathOf = (name: string) => `/assets/${name}`;
  const assetsOf = ({ script, styles, files }: Manifest) => ({
    script: pathOf(script),
    styles: pathOf(styles),
    imports: (files[script]?.imports ?? []).map(pathOf),
  });
  const byLanguage = Object.entries(manifests).map(([language, one]) => [language, assetsOf(one)]);
  return { ...Object.fromEntries(byLanguage), en: assetsOf(manifests.en) };
}

function loadFile(folder: URL, name: string): Representation {
  const bodies = {
    identity: read(folder, name),
    gzip: read(folder, `${name}.gz`),
    br: read(folder, `${name}.br`),
  };
  const contentType = assetMediaTypes[name.endsWith('.css') ? 'css' : 'js'];
  return makePrecompressed(bodies, { contentType, cacheControl, headers });
}

function read(folder: URL, name: string): Buffer {
  const url = new URL(name, folder);
  try {
    return readFileSync(url);
  } catch (cause) {
    throw new Error(`${url.pathname} cannot be read. Run "npm run build" to make it.`, { cause });
  }
}

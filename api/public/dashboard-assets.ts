import { readFile } from 'node:fs/promises';
import type { DashboardAssets } from '../../web/account/dashboard-document.js';
import { makePrecompressed, type Representation } from './representation.js';

/** The part of the manifest of the build that the service needs; see bin/build/bundle.js. */
type Manifest = { script: string; styles: string; files: Record<string, { imports: string[] }> };

// This module runs in dist/api/public/.
const folder = new URL('../../web/bundle/', import.meta.url);

type Kind = {
  cacheControl: string;
  headers: readonly string[];
  mediaTypes: Readonly<Record<'css' | 'js', string>>;
};

/**
 * Reads the files of the dashboard, which the build has compressed and named by a hash of their content. Adds them to
 * `files` by their names, and returns the addresses of those that the document loads.
 *
 * @throws Error with one sentence for the operator when they are missing
 */
export async function loadDashboardAssets(
  files: Map<string, Representation>,
  { mediaTypes, ...kind }: Kind,
): Promise<DashboardAssets> {
  const manifest: Manifest = JSON.parse((await read('manifest.json')).toString());
  await Promise.all(
    Object.keys(manifest.files).map(async (name) => {
      const [identity, gzip, br] = await Promise.all([read(name), read(`${name}.gz`), read(`${name}.br`)]);
      const contentType = mediaTypes[name.endsWith('.css') ? 'css' : 'js'];
      files.set(name, makePrecompressed({ identity, gzip, br }, { ...kind, contentType }));
    }),
  );
  const pathOf = (name: string) => `/assets/${name}`;
  return {
    script: pathOf(manifest.script),
    styles: pathOf(manifest.styles),
    imports: (manifest.files[manifest.script]?.imports ?? []).map(pathOf),
  };
}

async function read(name: string): Promise<Buffer> {
  const url = new URL(name, folder);
  return readFile(url).catch((cause: unknown) => {
    throw new Error(`${url.pathname} cannot be read. Run "npm run build" to make it.`, { cause });
  });
}

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compressFile } from './bundle.js';
import { manifestName, viewAssets as output } from './project.js';
import { root } from './root.js';

const script = (/** @type {string} */ name) => [`dist/web/client/${name}.js`];
const styles = (/** @type {string[]} */ ...names) => names.map((name) => `web/static/${name}.css`);

/** The files that make each asset of the public pages and of the pages on which people sign in, in their order. */
const sources = {
  'page.css': styles('colours', 'page'),
  'theme.js': script('theme'),
  'live.js': script('live'),
  'details.js': script('details'),
  'chart.js': script('chart'),
  'account.css': styles('account'),
  'link-code.js': script('link-code'),
  'send-again.js': script('send-again'),
};

/**
 * Writes these assets, as they are and compressed, under names with a hash of their content; see `bundle`. The manifest
 * has the name of each. The compiler has written the scripts before.
 */
export async function writeViewAssets() {
  rmSync(join(root, output), { recursive: true, force: true });
  mkdirSync(join(root, output), { recursive: true });
  /** @type {Record<string, string>} */
  const manifest = {};
  for (const [asset, paths] of Object.entries(sources)) {
    const text = paths.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
    const hash = createHash('sha256').update(text).digest('base64url').slice(0, 12);
    const name = asset.replace('.', `.${hash}.`);
    writeFileSync(join(root, output, name), text);
    await compressFile(join(root, output, name));
    manifest[asset] = name;
  }
  writeFileSync(join(root, output, manifestName), JSON.stringify(manifest, null, 2));
}

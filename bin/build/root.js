import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Returns the paths of files below a folder, from the root of the checkout. Skips installed packages and hidden folders
 * such as `dist/.store-templates`.
 *
 * @param {string} folder
 * @param {RegExp} name
 * @returns {string[]}
 */
export function filesBelow(folder, name) {
  if (!existsSync(join(root, folder))) return [];
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name)) return filesBelow(path, name);
      return entry.isFile() && name.test(entry.name) ? [path] : [];
    })
    .sort();
}

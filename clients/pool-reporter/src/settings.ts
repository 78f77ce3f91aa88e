import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The count at a path of an object of a driver, or null where there is none. */
export function countAt(value: unknown, ...path: string[]): number | null {
  let found = value;
  for (const name of path) {
    if ((typeof found !== 'object' && typeof found !== 'function') || found === null) return null;
    found = Reflect.get(found, name);
  }
  return typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 ? found : null;
}

/** The limit at a path; for the drivers, 0 is none. */
export function limitAt(value: unknown, ...path: string[]): number | null {
  return countAt(value, ...path) || null;
}

/**
 * Version of an installed driver, `unknown` when it cannot be found. Not every driver exports its package.json, so it
 * is looked for in the folders above the entry point.
 */
export function driverVersion(name: string): string {
  try {
    let folder = dirname(createRequire(import.meta.url).resolve(name));
    while (folder !== dirname(folder)) {
      const version = versionIn(folder, name);
      if (version !== undefined) return version;
      folder = dirname(folder);
    }
  } catch {
    // Bundled, or under another name.
  }
  return 'unknown';
}

function versionIn(folder: string, name: string): string | undefined {
  const path = join(folder, 'package.json');
  if (!existsSync(path)) return undefined;
  const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (typeof manifest !== 'object' || manifest === null || Reflect.get(manifest, 'name') !== name) {
    return undefined;
  }
  const version: unknown = Reflect.get(manifest, 'version');
  return typeof version === 'string' ? version : undefined;
}

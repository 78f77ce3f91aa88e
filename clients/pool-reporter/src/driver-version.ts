import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Version of an installed driver, `unknown` if it cannot be found. Not every driver exports its package.json, so this
 * searches the folders above the entry point.
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
    // The driver is bundled, or installed under another name.
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

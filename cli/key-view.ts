import type { Key } from '../control/keys/index.js';

/** A key as `--json` prints it in lists. */
export function keyJson(key: Key): object {
  return {
    id: key.id,
    scope: key.scope,
    prefix: key.displayPrefix,
    createdAt: key.createdAt.toISOString(),
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
  };
}

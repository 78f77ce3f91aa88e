import type { Connection } from '../control/connections/index.js';

/** A connection as `--json` prints it. */
export function connectionJson({ id, engine, name, createdAt }: Connection): object {
  return { id, engine, name, createdAt: createdAt.toISOString() };
}

import type { Engine } from '../../contract/observations.js';
import type { ConnectionId } from '../../lib/ids.js';

/** A saved direct connection, under whose id observations are reported; how to connect is stored nowhere. */
export type Connection = { id: ConnectionId; engine: Engine; name: string; createdAt: Date };

export type ConnectionRow = { id: ConnectionId; engine: Engine; name: string; created_at: Date };

export function toConnection({ id, engine, name, created_at: createdAt }: ConnectionRow): Connection {
  return { id, engine, name, createdAt };
}

import { openSecret, resealSecret, sealSecret } from '../lib/secrets/secret-box.js';

/**
 * The columns whose values are sealed with HEARTLINE_SECRET_KEY, by their owner. A value is sealed for the id in
 * its row. `heartline secrets reseal` rewrites these columns in this order: a value moves from `secret` to
 * `previous_secret` only, so none escapes by moving.
 */
export const sealedColumns = {
  webhook: { table: 'webhooks', id: 'id', columns: ['secret', 'previous_secret'] },
  channel: { table: 'channels', id: 'id', columns: ['settings'] },
  'contact-way': { table: 'contact_ways', id: 'id', columns: ['settings'] },
  monitor: { table: 'monitors', id: 'id', columns: ['secrets'] },
  'event store': { table: 'event_stores', id: 'page_id', columns: ['password'] },
  'figure export': { table: 'figure_exports', id: 'page_id', columns: ['secret'] },
  totp: { table: 'users', id: 'id', columns: ['totp_secret'] },
  'account-email': { table: 'account_emails', id: 'id', columns: ['content'] },
} as const satisfies Record<string, { table: string; id: string; columns: readonly string[] }>;

export type SealedOwner = keyof typeof sealedColumns;

/** Seals a value for its column. `id` identifies its row. */
export function sealColumn(secretKey: string, owner: SealedOwner, id: string, secret: string): Buffer {
  return sealSecret(secretKey, `${owner} ${id}`, secret);
}

/** Opens a value of a column. @throws Error when no key of the list has sealed it for this row. */
export function openColumn(secretKey: string, owner: SealedOwner, id: string, sealed: Uint8Array): string {
  return openSecret(secretKey, `${owner} ${id}`, sealed);
}

/** Seals a value of a column again, as resealSecret() does. */
export function resealColumn(
  secretKey: string,
  owner: SealedOwner,
  id: string,
  sealed: Uint8Array,
): Uint8Array | undefined {
  return resealSecret(secretKey, `${owner} ${id}`, sealed);
}

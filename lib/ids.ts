import { randomBytes } from 'node:crypto';

/** A string that becomes an id of its kind only through the functions of this file. */
type Brand<Kind extends string> = string & { readonly __kind: Kind };

export type PageId = Brand<'page'>;
export type KeyId = Brand<'key'>;
export type MonitorId = Brand<'monitor'>;
export type IncidentId = Brand<'incident'>;
export type UpdateId = Brand<'update'>;
export type AnnouncementId = Brand<'announcement'>;
export type WebhookId = Brand<'webhook'>;
export type DeliveryId = Brand<'delivery'>;
export type SubscriberId = Brand<'subscriber'>;
export type EmailId = Brand<'email'>;
export type ConnectionId = Brand<'connection'>;
/** Id of an observation. Its sender chooses it; it is unique within a page. */
export type ObservationId = Brand<'observation'>;
/** Id of a process that reports its pools. The process chooses it. */
export type SessionId = Brand<'session'>;
/** Id of a block of pool reports that are stored together. */
export type BlockId = Brand<'block'>;

/**
 * Makes a UUIDv7 (RFC 9562, section 5.7): 48 bits of Unix milliseconds, then random bits. Ids sort by the time at which
 * they were made.
 */
export function newId<Id extends Brand<string>>(now: number): Id {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    '-',
  );
  return id as Id; // The only place where the service makes an id.
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns the text as an id when it has the form of a UUID, so that a query can look for it; else `undefined`. */
export function parseId<Id extends Brand<string>>(text: string): Id | undefined {
  return uuidForm.test(text) ? (text.toLowerCase() as Id) : undefined; // The form is right; a query finds out whether it exists.
}

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a secret for storage with AES-256-GCM: nonce, ciphertext, tag. `context` names the owner of the secret (such
 * as `webhook <id>`), so that a row that is copied to another place does not open there.
 */
export function sealSecret(secretKey: string, context: string, secret: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(secretKey, 'seal'), nonce).setAAD(
    Buffer.from(context),
  );
  return Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts a secret. @throws Error when it was sealed with another secret key or for another context, or was changed. */
export function openSecret(secretKey: string, context: string, sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed);
  const decipher = createDecipheriv(
    'aes-256-gcm',
    deriveKey(secretKey, 'seal'),
    bytes.subarray(0, nonceBytes),
  );
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-tagBytes));
  const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}

/**
 * Makes a token for a link that needs no row of its own: the id, and a MAC over the id and the purpose, which only
 * holders of the secret key can make.
 */
export function signToken(secretKey: string, purpose: string, id: string): string {
  return `${id}.${mac(secretKey, purpose, id).toString('base64url')}`;
}

/** Returns the id for which the token was made with this purpose; `undefined` for any other text. */
export function verifyToken(secretKey: string, purpose: string, token: string): string | undefined {
  const dot = token.indexOf('.');
  const id = token.slice(0, dot);
  const given = Buffer.from(token.slice(dot + 1), 'base64url');
  const expected = mac(secretKey, purpose, id);
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : undefined;
}

/**
 * Derives the password of the ClickHouse user that runs the SQL of pages: HMAC-SHA256 of a fixed text under the secret
 * key, in hex. Every instance with the same key derives it, so that nothing has to be stored.
 */
export function sqlUserPassword(secretKey: string): string {
  return createHmac('sha256', secretKey).update('clickhouse-sql-user').digest('hex');
}

function mac(secretKey: string, purpose: string, id: string): Buffer {
  return createHmac('sha256', deriveKey(secretKey, `token ${purpose}`))
    .update(id)
    .digest();
}

/** HKDF (RFC 5869): the key of one use reveals nothing about the keys of others. */
function deriveKey(secretKey: string, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, 'heartline', use, 32));
}

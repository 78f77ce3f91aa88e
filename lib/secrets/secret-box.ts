import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { secretKeysOf } from './secret-keys.js';

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a secret with AES-256-GCM under the first key: nonce, ciphertext, tag. `context` names the owner of the secret
 * (such as `webhook <id>`), so that a row that is copied to another place does not open there. What is stored in a column
 * is sealed with `sealColumn()`.
 */
export function sealSecret(secretKey: string, context: string, secret: string): Buffer {
  const [first] = secretKeysOf(secretKey);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(first, 'seal'), nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Decrypts a secret that any of the keys has sealed. They are tried in order, so a sealed value names no key.
 *
 * @throws Error when it was sealed with a key that is not in the list or for another context, or was changed.
 */
export function openSecret(secretKey: string, context: string, sealed: Uint8Array): string {
  for (const key of secretKeysOf(secretKey)) {
    const secret = openWith(key, context, sealed);
    if (secret !== undefined) return secret;
  }
  throw new Error('No key of HEARTLINE_SECRET_KEY opens the secret.');
}

/**
 * Seals a sealed secret again, with the first key. Returns the same bytes when that key has sealed them, and `undefined`
 * when no key of the list opens them.
 */
export function resealSecret(secretKey: string, context: string, sealed: Uint8Array): Uint8Array | undefined {
  const [first, ...others] = secretKeysOf(secretKey);
  if (openWith(first, context, sealed) !== undefined) return sealed;
  for (const key of others) {
    const secret = openWith(key, context, sealed);
    if (secret !== undefined) return sealSecret(first, context, secret);
  }
  return undefined;
}

function openWith(key: string, context: string, sealed: Uint8Array): string | undefined {
  const bytes = Buffer.from(sealed);
  if (bytes.length < nonceBytes + tagBytes) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(key, 'seal'), bytes.subarray(0, nonceBytes));
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-tagBytes));
  const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/**
 * Makes a token for a link that needs no row of its own: the id, and a MAC over the id and the purpose, which only
 * holders of the first secret key can make. A link that must be short may have fewer bytes of it, at least 16.
 */
export function signToken(secretKey: string, purpose: string, id: string, macBytes = tokenMacBytes): string {
  const [first] = secretKeysOf(secretKey);
  return `${id}.${mac(first, purpose, id).toString('base64url', 0, macBytes)}`;
}

/** HMAC-SHA256 in full. Half of it is as hard to guess as the ids of sessions (RFC 2104, section 5). */
const tokenMacBytes = 32;

/** Returns the id for which any of the keys made the token with this purpose; `undefined` for any other text. */
export function verifyToken(
  secretKey: string,
  purpose: string,
  token: string,
  macBytes = tokenMacBytes,
): string | undefined {
  const dot = token.indexOf('.');
  const id = token.slice(0, dot);
  const given = Buffer.from(token.slice(dot + 1), 'base64url');
  const isMade = secretKeysOf(secretKey).some((key) => {
    const expected = mac(key, purpose, id).subarray(0, macBytes);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isMade ? id : undefined;
}

/**
 * Derives the passwords of the ClickHouse user that runs the SQL of pages, one a key: HMAC-SHA256 of a fixed text under
 * the key, in hex. The user has the first one; an instance that was started with the keys in another order has given it
 * another one of them. Every instance with the same keys derives them, so that nothing has to be stored.
 */
export function sqlUserPasswords(secretKey: string): [first: string, ...others: string[]] {
  const passwordOf = (key: string): string =>
    createHmac('sha256', key).update('clickhouse-sql-user').digest('hex');
  const [first, ...others] = secretKeysOf(secretKey);
  return [passwordOf(first), ...others.map(passwordOf)];
}

/** Derives the password that the user is given. */
export function sqlUserPassword(secretKey: string): string {
  return sqlUserPasswords(secretKey)[0];
}

function mac(key: string, purpose: string, id: string): Buffer {
  return createHmac('sha256', deriveKey(key, `token ${purpose}`))
    .update(id)
    .digest();
}

/** HKDF (RFC 5869): the key of one use reveals nothing about the keys of others. */
function deriveKey(key: string, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, 'heartline', use, 32));
}

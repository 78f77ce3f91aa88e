import { hash, randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = BigInt(alphabet.length);

/** 62 ** 43 is just above 2 ** 256, so 43 base-62 digits hold 32 bytes. */
export const secretDigits = 43;

/** 32 random bytes as 43 base-62 digits. */
export function newSecret(): string {
  let rest = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let secret = '';
  for (let i = 0; i < secretDigits; i += 1) {
    secret = alphabet.charAt(Number(rest % base)) + secret;
    rest /= base;
  }
  return secret;
}

/**
 * The SHA-256 of a key or token as 64 hex digits: the form that is stored and looked up. The secret is random, so the
 * hash needs no salt.
 */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

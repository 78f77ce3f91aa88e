import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { secondMs } from '../../lib/times.js';

/** RFC 6238 with the parameters that every authenticator app takes: SHA-1, six digits, steps of 30 seconds. */
const stepMs = 30 * secondMs;
const digits = 6;
/** Codes of the steps beside the current one count, because clocks differ. */
const tolerance = 1;

/** A new secret: 20 bytes, the length of an SHA-1. */
export function newTotpSecret(): Buffer {
  return randomBytes(20);
}

/** The code of a step, which is the number of steps since the epoch. */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  const number = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

/** The step of a time in milliseconds since the epoch. */
export function totpStepAt(time: number): number {
  return Math.floor(time / stepMs);
}

/** The newest step around `now` that has this code; `undefined` for none. */
export function findTotpStep(secret: Uint8Array, code: string, now: number): number | undefined {
  const given = Buffer.from(code);
  let found: number | undefined;
  for (let away = -tolerance; away <= tolerance; away += 1) {
    const step = totpStepAt(now) + away;
    const expected = Buffer.from(totpCode(secret, step));
    if (given.length === expected.length && timingSafeEqual(given, expected)) found = step;
  }
  return found;
}

/** What authenticator apps read from the QR code. `account` is the email. */
export function totpUri(secret: Uint8Array, account: string): string {
  const label = `Heartline:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=Heartline&algorithm=SHA1&digits=${digits}&period=${stepMs / secondMs}`;
}

const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base 32 (RFC 4648) without padding, as people type it into an app. */
export function base32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => base32Digits.charAt(Number.parseInt(group.padEnd(5, '0'), 2))).join('');
}

import { dictionary } from '@zxcvbn-ts/language-common';

/** The 49,000 passwords that leaks show most often. */
const common: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/** A short text again and again, such as `passwordpassword`. */
const repetition = /^(.{1,8}?)\1+$/su;

/**
 * Whether a password is among those that people choose most, in any case, or is a short text again and again, which is
 * how people make short ones long.
 */
export function isCommonPassword(password: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase().trim();
  return common.has(plain) || repetition.test(plain);
}

import { dictionary } from '@zxcvbn-ts/language-common';
import type { SpecificCode } from '../../contract/errors.js';
import { ServiceError } from '../../lib/service-error.js';

/** The 49,000 passwords that leaks show most often. */
const common: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/** A short text again and again, such as `passwordpassword`. */
const repetition = /^(.{1,8}?)\1+$/su;

/**
 * Whether a password is among those that people choose most, in any case, or is a short text again and again, which is
 * how people make short ones long.
 */
function isCommonPassword(password: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase().trim();
  return common.has(plain) || repetition.test(plain);
}

const passwordCharsMin = 12;

export const passwordCharsMax = 200;

/**
 * Returns a new password that is good enough: long, not among the commonest, and not the email or the name of its
 * owner.
 *
 * @param at JSON pointer of the field.
 * @throws ServiceError `invalidBody`; the message never repeats the password
 */
export function parsePassword(at: string, password: string, owner: { email: string; name: string }): string {
  const chars = [...password.normalize('NFKC')].length;
  if (chars < passwordCharsMin || chars > passwordCharsMax) {
    throw refused(at, 'password.length', `must have ${passwordCharsMin} to ${passwordCharsMax} characters.`);
  }
  if (isCommonPassword(password))
    throw refused(at, 'password.common', 'is one of the commonest passwords; choose another one.');
  const plain = plainForm(password);
  const own = [owner.email, owner.email.split('@')[0] ?? '', owner.name].map(plainForm);
  if (own.includes(plain))
    throw refused(at, 'password.own_data', 'must not be the email or the name of its owner.');
  return password;
}

function plainForm(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim();
}

function refused(at: string, code: SpecificCode, problem: string): ServiceError {
  return new ServiceError('invalidBody', { code, field: at, message: `${at} ${problem}` });
}

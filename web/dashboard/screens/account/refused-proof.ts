import type { FieldErrors, ReadError } from '../../reads/fetch-json.js';
import type { AccountTexts } from './texts.js';

/** The field of a form that a refused proof belongs to; `undefined` for another error. */
export function refusedProof(
  { code }: ReadError,
  texts: AccountTexts,
  fields: Readonly<Partial<Record<'password' | 'code', string>>>,
): FieldErrors | undefined {
  if (code === 'password.wrong' && fields.password !== undefined) {
    return { [fields.password]: texts.wrongPassword };
  }
  if (code === 'totp.code_wrong' && fields.code !== undefined) return { [fields.code]: texts.wrongCode };
  return undefined;
}

import type { FieldErrors, ReadError } from '../../reads/fetch-json.js';
import type { AccountTexts } from './texts.js';

/** What the service says when the password or the code that should prove who asks is another one. */
const sentences = { password: 'The password is wrong.', code: 'The code is wrong.' } as const;

/** The field of a form that a refused proof belongs to; `undefined` for another error. */
export function refusedProof(
  { message }: ReadError,
  texts: AccountTexts,
  fields: Readonly<Partial<Record<keyof typeof sentences, string>>>,
): FieldErrors | undefined {
  if (message === sentences.password && fields.password !== undefined) {
    return { [fields.password]: texts.wrongPassword };
  }
  if (message === sentences.code && fields.code !== undefined) return { [fields.code]: texts.wrongCode };
  return undefined;
}

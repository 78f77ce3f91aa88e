import type { Clock } from '../lib/clock.js';
import { readEmailAddress } from '../lib/email-address.js';
import { ApiError } from '../contract/errors.js';
import { matchLanguage, readLanguage } from '../lib/language.js';
import type { SignUp } from '../contract/subscribers.js';
import type { Page } from '../control/pages/page.js';
import { requestSubscription, takesSignUps } from '../control/subscribers/request-subscription.js';
import type { Sql } from '../sql/open-postgres.js';
import { createSignUpLimit } from './limit-sign-ups.js';

/**
 * Signs an address up for the email of a page, whichever way it came in: all ways count together. What it does not
 * throw tells nothing of the address.
 *
 * @throws ApiError 400 that names the field, 429 with `Retry-After`.
 */
export type TakeSignUp = (clientAddress: string, page: Page, sent: SignUp) => Promise<void>;

export function createSignUp(deps: { sql: Sql; clock: Clock }): TakeSignUp {
  const limit = createSignUpLimit(deps);
  return async (clientAddress, page, sent) => {
    const email = readEmailAddress(sent.email);
    if (email === undefined) throw new ApiError('invalidBody', '/email must be an email address.');
    const tag = sent.language === undefined ? page.defaultLanguage : readLanguage(sent.language);
    if (tag === undefined) throw new ApiError('invalidBody', '/language must be a language tag.');
    limit(clientAddress, page.id);
    if (!(await takesSignUps(deps, page.id))) {
      throw new ApiError('tooManySignUps', undefined, { 'retry-after': '3600' });
    }
    const language = matchLanguage(tag, page.languages) ?? page.defaultLanguage;
    await requestSubscription(deps, { pageId: page.id, email, language });
  };
}

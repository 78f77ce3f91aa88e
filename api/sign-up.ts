import type { SignUp } from '../contract/subscribers.js';
import type { Page } from '../control/pages/page.js';
import { requestSubscription, takesSignUps } from '../control/subscribers/index.js';
import type { Clock } from '../lib/clock.js';
import { parseEmailAddress } from '../lib/email-address.js';
import { matchLanguage, parseLanguage } from '../lib/language.js';
import { ServiceError } from '../lib/service-error.js';
import type { Sql } from '../sql/open-postgres.js';
import { createSignUpLimit } from './limit-sign-ups.js';

/**
 * Signs an address up for the email of a page, whichever way it came in: all ways count together. What it does not
 * throw tells nothing of the address.
 *
 * @throws ServiceError 400 that names the field, 429 with `Retry-After`.
 */
export type TakeSignUp = (clientAddress: string, page: Page, sent: SignUp) => Promise<void>;

export function createSignUp(deps: { sql: Sql; clock: Clock }): TakeSignUp {
  const limit = createSignUpLimit(deps);
  return async (clientAddress, page, sent) => {
    const email = parseEmailAddress(sent.email);
    if (email === undefined)
      throw new ServiceError('invalidBody', { message: '/email must be an email address.' });
    const tag = sent.language === undefined ? page.defaultLanguage : parseLanguage(sent.language);
    if (tag === undefined)
      throw new ServiceError('invalidBody', { message: '/language must be a language tag.' });
    limit(clientAddress, page.id);
    if (!(await takesSignUps(deps, page.id))) {
      throw new ServiceError('tooManySignUps', { retryAfterSeconds: 3600 });
    }
    const language = matchLanguage(tag, page.languages) ?? page.defaultLanguage;
    await requestSubscription(deps, { pageId: page.id, email, language });
  };
}

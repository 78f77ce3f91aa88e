import type { SignUp } from '../contract/subscribers.js';
import { subscriberLimits } from '../contract/subscribers.js';
import type { Page } from '../control/pages/index.js';
import { requestSubscription, takesSignUps } from '../control/subscribers/index.js';
import type { Clock } from '../lib/clock.js';
import { parseEmailAddress } from '../lib/email-address.js';
import type { PageId } from '../lib/ids.js';
import { matchLanguage, parseLanguage } from '../lib/locale/language.js';
import { ServiceError } from '../lib/service-error.js';
import { hourMs } from '../lib/times.js';
import { createWindowCounter, networkOf } from '../lib/window-counter.js';
import type { Sql } from '../sql/open-postgres.js';

/**
 * Signs an address up for the email of a page. The form and the API count together. Success says nothing about the
 * address.
 *
 * @throws ServiceError 400 that names the field; 429 with the seconds to wait
 */
export type TakeSignUp = (clientAddress: string, page: Page, sent: SignUp) => Promise<void>;

export function createSignUp(deps: { sql: Sql; clock: Clock }): TakeSignUp {
  const limit = createSignUpLimit(deps);
  return async (clientAddress, page, sent) => {
    const email = parseEmailAddress(sent.email);
    if (email === undefined)
      throw new ServiceError('invalidBody', {
        message: '/email must be an email address, such as me@example.com.',
      });
    const tag = sent.language === undefined ? page.defaultLanguage : parseLanguage(sent.language);
    if (tag === undefined)
      throw new ServiceError('invalidBody', {
        message: '/language must be a language tag, such as en or pt-BR.',
      });
    limit(clientAddress, page.id);
    if (!(await takesSignUps(deps, page.id))) {
      throw new ServiceError('tooManySignUps', { retryAfterSeconds: hourMs / 1000 });
    }
    const language = matchLanguage(tag, page.languages) ?? page.defaultLanguage;
    const { services, groups, reminders = false } = sent;
    const choice =
      services === undefined && groups === undefined
        ? null
        : { services: services ?? [], groups: groups ?? [] };
    await requestSubscription(deps, {
      ...{ pageId: page.id, email, language, preferences: { choice, reminders } },
    });
  };
}

/** @throws ServiceError 429 with the seconds to wait */
type SignUpLimit = (clientAddress: string, pageId: PageId) => void;

/** A client too many pushes out the one that was silent longest; the page's own limit bounds them all together. */
const keysMax = 20_000;

/**
 * Bounds how often one client, and how often all clients together, sign addresses up on a page. A client over its own
 * limit does not count for the page, so that no client can use up the page's limit alone.
 */
function createSignUpLimit({ clock }: { clock: Clock }): SignUpLimit {
  const clients = createWindowCounter<string>({ clock, windowMs: hourMs, keysMax });
  const pages = createWindowCounter<PageId>({ clock, windowMs: hourMs, keysMax });
  return (clientAddress, pageId) => {
    const msLeft =
      clients.count(networkOf(clientAddress), subscriberLimits.signUpsPerClientPerHour) ??
      pages.count(pageId, subscriberLimits.signUpsPerPagePerHour);
    if (msLeft !== undefined)
      throw new ServiceError('tooManySignUps', { retryAfterSeconds: Math.ceil(msLeft / 1000) });
  };
}

import type { SignUp } from '../contract/subscribers.js';
import { subscriberLimits } from '../contract/subscribers.js';
import type { Page } from '../control/pages/index.js';
import {
  type Preferences,
  requestChatSubscription,
  requestSubscription,
  takesSignUps,
} from '../control/subscribers/index.js';
import type { Clock } from '../lib/clock.js';
import { parseEmailAddress } from '../lib/email-address.js';
import type { PageId } from '../lib/ids.js';
import { matchLanguage, parseLanguage } from '../lib/locale/language.js';
import { ServiceError } from '../lib/service-error.js';
import { hourMs } from '../lib/times.js';
import { createWindowCounter, networkOf } from '../lib/window-counter.js';
import type { Sql } from '../sql/open-postgres.js';

/**
 * Signs an address or a chat up for the messages of a page. The form and the API count together. Success says nothing
 * about the address.
 *
 * @throws ServiceError 400 that names the field; `noMail` for an address where no email is sent; 429 with the seconds to
 *   wait
 */
export type TakeSignUp = (clientAddress: string, page: Page, sent: SignUp) => Promise<void>;

export function createSignUp(deps: {
  sql: Sql;
  clock: Clock;
  secretKey: string;
  sendsMail: boolean;
}): TakeSignUp {
  const limit = createSignUpLimit(deps);
  return async (clientAddress, page, sent) => {
    const { chat } = sent;
    const email = chat === undefined ? parseEmail(sent.email ?? '') : undefined;
    if (chat !== undefined && sent.email !== undefined) throw invalid('Send /email or /chat, and not both.');
    const tag = sent.language === undefined ? page.defaultLanguage : parseLanguage(sent.language);
    if (tag === undefined) throw invalid('/language must be a language tag, such as en or pt-BR.');
    if (email !== undefined && !deps.sendsMail) throw new ServiceError('noMail');
    limit(clientAddress, page.id);
    if (!(await takesSignUps(deps, page.id))) {
      throw new ServiceError('tooManySignUps', { retryAfterSeconds: hourMs / 1000 });
    }
    const language = matchLanguage(tag, page.languages) ?? page.defaultLanguage;
    const preferences = preferencesOf(sent);
    if (email !== undefined) {
      await requestSubscription(deps, { pageId: page.id, email, language, preferences });
    } else if (chat !== undefined) {
      await requestChatSubscription(deps, { page, address: chat, language, preferences });
    }
  };
}

/** @throws ServiceError `invalidBody` */
function parseEmail(text: string): string {
  const email = parseEmailAddress(text);
  if (email === undefined) throw invalid('/email must be an email address, such as me@example.com.');
  return email;
}

function preferencesOf({ services, groups, reminders = false }: SignUp): Preferences {
  const isEverything = services === undefined && groups === undefined;
  return { choice: isEverything ? null : { services: services ?? [], groups: groups ?? [] }, reminders };
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidBody', { message });
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

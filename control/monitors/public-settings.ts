import { isLine, lineRule } from '../../contract/line.js';
import { monitorLimits } from '../../contract/monitors.js';
import { ServiceError } from '../../lib/service-error.js';
import { toTitle } from '../../lib/visible-line.js';
import type { Monitor } from './monitor.js';
import { type MonitorSettings, parseTexts } from './monitor-settings.js';

/** The settings of a service that visitors of the page see, besides its name and its state. */
export type PublicSettings = Pick<Monitor, 'hidden' | 'description' | 'descriptions' | 'link'>;

const usual: PublicSettings = { hidden: false, description: '', descriptions: {}, link: null };

/**
 * Returns the settings that visitors see after a change.
 *
 * @throws ServiceError `invalidBody` for a text that is too long or in a language that the page does not have, and for a
 *   link that is no web address.
 */
export function parsePublicSettings(
  page: { languages: string[]; defaultLanguage: string },
  { hidden, description, descriptions, link }: MonitorSettings,
  before: PublicSettings = usual,
): PublicSettings {
  return {
    hidden: hidden ?? before.hidden,
    description: description === undefined ? before.description : parseDescription(description),
    descriptions: parseTexts(
      'descriptions',
      page,
      descriptions ?? {},
      descriptions === null ? {} : before.descriptions,
      parseDescription,
    ),
    link: link === undefined ? before.link : parseLink(link),
  };
}

function parseDescription(text: string, field = 'description'): string {
  const charsMax = monitorLimits.descriptionChars;
  const description = toTitle(text, charsMax);
  if (description.length > charsMax || !isLine('titleOrNothing', description)) {
    throw invalid(
      field,
      `The description of a service must have at most ${charsMax} characters, and ${lineRule('titleOrNothing')}.`,
    );
  }
  return description;
}

function parseLink(text: string): string | null {
  if (text.trim() === '') return null;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw invalid(
      'link',
      `The link "${text.slice(0, 100)}" must be a web address, such as https://shop.example.com.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('link', 'The link must not hold a user name or password.');
  }
  if (url.href.length > monitorLimits.linkChars) {
    throw invalid('link', `The link is longer than ${monitorLimits.linkChars} characters.`);
  }
  return url.href;
}

function invalid(field: string, message: string): ServiceError {
  return new ServiceError('invalidBody', { field: `/${field}`, message });
}

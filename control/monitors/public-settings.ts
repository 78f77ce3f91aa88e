import { isLine, lineRule } from '../../contract/line.js';
import { monitorLimits } from '../../contract/monitors.js';
import { parseLanguage } from '../../lib/locale/language.js';
import { parseVisibleLine, toTitle } from '../../lib/visible-line.js';
import type { Monitor } from './monitor.js';
import { invalidSetting, type MonitorSettings } from './monitor-settings.js';

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
    throw invalidSetting(
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
    throw invalidSetting(
      'link',
      `The link "${text.slice(0, 100)}" must be a web address, such as https://shop.example.com.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidSetting('link', 'The link must not hold a user name or password.');
  }
  if (url.href.length > monitorLimits.linkChars) {
    throw invalidSetting('link', `The link is longer than ${monitorLimits.linkChars} characters.`);
  }
  return url.href;
}

const nameCharsMax = 200;

/**
 * Returns the name as it is stored: a mark in it that turns the direction of text ends with it.
 *
 * @throws ServiceError `invalidBody` unless the name has 1 to 200 characters, visible and on one line.
 */
export function parseMonitorName(name: string, field = 'name'): string {
  const line = parseVisibleLine(name);
  if (line !== undefined && [...line].length <= nameCharsMax) return line;
  throw invalidSetting(
    field,
    `The name of a monitor must have 1 to ${nameCharsMax} characters. It is one line of visible text.`,
  );
}

/**
 * Returns names by language after a change; an empty name removes the name in its language.
 *
 * @throws ServiceError `invalidBody` for a language that the page does not have, and for its default language.
 */
export function parseMonitorNames(
  page: { languages: string[]; defaultLanguage: string },
  changes: Record<string, string>,
  before: Record<string, string> = {},
): Record<string, string> {
  return parseTexts('names', page, changes, before, parseMonitorName);
}

/** Returns texts by language after a change, as parseMonitorNames() does. `parse` throws for a text that cannot be in a field. */
function parseTexts(
  field: 'names' | 'descriptions',
  page: { languages: string[]; defaultLanguage: string },
  changes: Record<string, string>,
  before: Record<string, string>,
  parse: (text: string, field: string) => string,
): Record<string, string> {
  const texts = new Map(Object.entries(before));
  for (const [tag, text] of Object.entries(changes)) {
    const language = parseLanguage(tag);
    if (language === undefined || !page.languages.includes(language)) {
      throw invalidSetting(
        field,
        `"${tag}" is not a language of the page; those are ${page.languages.join(', ')}.`,
      );
    }
    if (language === page.defaultLanguage) {
      throw invalidSetting(
        field,
        `${language} is the default language of the page; the name itself is in it.`,
      );
    }
    if (text === '') texts.delete(language);
    else texts.set(language, parse(text, `${field}/${tag}`));
  }
  return Object.fromEntries(texts);
}

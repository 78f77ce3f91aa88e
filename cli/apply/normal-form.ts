import { announcementKinds, incidentTypes } from '../../contract/incidents.js';
import type { FileTemplate } from '../../contract/manage/apply.js';
import type { PutTemplate } from '../../contract/manage/incidents/templates.js';
import { monitorLimits } from '../../contract/monitors.js';
import { looksLimits } from '../../contract/public/status-page.js';
import { allEvents } from '../../contract/webhooks.js';
import { type GivenFigure, parseFigures } from '../../control/pages/index.js';
import { parseTemplate } from '../../control/templates/index.js';
import { parseAlias, problemOfAlias } from '../../lib/alias.js';
import { parseEmailAddress } from '../../lib/email-address.js';
import { parseLanguage } from '../../lib/locale/language.js';
import { ServiceError } from '../../lib/service-error.js';
import { parseVisibleLine, toTitle } from '../../lib/visible-line.js';

/*
 * The forms in which the service stores what it is given, so that a file is compared with what it would become. A value
 * that the service refuses stays as it is.
 */

/** A URL as the URL standard serializes it; one of a port stays as it is. */
export function normalUrl(text: string): string {
  return /^tcp:/i.test(text) || !URL.canParse(text) ? text : new URL(text).href;
}

export function normalHostname(text: string): string {
  return text.toLowerCase().replace(/\.$/, '');
}

export function normalLanguage(tag: string): string {
  return parseLanguage(tag) ?? tag;
}

/** Addresses in the form in which emails are sent to them, each once. */
export function normalEmails(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => parseEmailAddress(text) ?? text))];
}

export function normalAlias(text: string): string {
  return problemOfAlias(text) === undefined ? parseAlias('/name', text) : text;
}

/** A name, in which what turns the direction of text ends with it. */
export function normalName(text: string): string {
  return parseVisibleLine(text) ?? text;
}

/** A description as the service stores it. */
export function normalDescription(text: string): string {
  return toTitle(text, monitorLimits.descriptionChars);
}

/** The label of a link as the service stores it. */
export function normalLabel(text: string): string {
  return toTitle(text, looksLimits.footerLabelChars);
}

/** Names by language; an empty name is none. */
export function normalNames(names: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(normalTexts(names));
  return Object.fromEntries(named.map(([tag, name]) => [tag, normalName(name)]));
}

/** Texts by language; an empty text is none. */
export function normalTexts(texts: Readonly<Record<string, string>>): Record<string, string> {
  const written = Object.entries(texts).filter(([, text]) => text !== '');
  return Object.fromEntries(written.map(([tag, text]) => [normalLanguage(tag), text]));
}

/** The texts without space around them, and without what is empty. */
export function normalTemplate(template: FileTemplate): PutTemplate {
  const texts = Object.entries(template.texts ?? {});
  const tagged = texts.map(([tag, text]) => [normalLanguage(tag), text]);
  const named = { ...template, ...(texts.length > 0 && { texts: Object.fromEntries(tagged) }) };
  return orGiven(named, parseTemplate);
}

/** Figures as the service stores them. */
export function normalFigures(figures: readonly GivenFigure[]): readonly GivenFigure[] {
  return orGiven(figures, parseFigures);
}

/** Returns a value in the form in which the service stores it; one that the service refuses as it is. */
export function orGiven<Given, Stored>(given: Given, parse: (given: Given) => Stored): Given | Stored {
  try {
    return parse(given);
  } catch (error) {
    if (error instanceof ServiceError) return given;
    throw error;
  }
}

/** Names of events, each once, in the order of the service; null for every event. */
export function normalEvents(names: readonly string[] | undefined): string[] | null {
  if (names === undefined || (names.length === 1 && names[0] === allEvents)) return null;
  const known: readonly string[] = [...incidentTypes.map((type) => `${type}.*`), ...announcementKinds];
  const unknown = names.filter((name) => !known.includes(name));
  return [...known.filter((name) => names.includes(name)), ...unknown];
}

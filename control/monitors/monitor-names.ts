import { ControlError } from '../../lib/control-error.js';
import { parseLanguage } from '../../lib/language.js';

/** @throws ControlError unless it has 1 to 200 characters. */
export function checkMonitorName(name: string): void {
  const length = [...name].length;
  if (length < 1 || length > 200)
    throw new ControlError('The name of a monitor must have 1 to 200 characters.');
}

/**
 * Names by language after a change; an empty name takes that of its language away.
 *
 * @throws ControlError for a language that the page does not have, or has its name in already.
 */
export function readMonitorNames(
  page: { languages: string[]; defaultLanguage: string },
  changes: Record<string, string>,
  before: Record<string, string> = {},
): Record<string, string> {
  const names = new Map(Object.entries(before));
  for (const [tag, name] of Object.entries(changes)) {
    const language = parseLanguage(tag);
    if (language === undefined || !page.languages.includes(language)) {
      throw new ControlError(
        `"${tag}" is not a language of the page; those are ${page.languages.join(', ')}.`,
      );
    }
    if (language === page.defaultLanguage) {
      throw new ControlError(`${language} is the default language of the page; the name itself is in it.`);
    }
    if (name === '') names.delete(language);
    else {
      checkMonitorName(name);
      names.set(language, name);
    }
  }
  return Object.fromEntries(names);
}

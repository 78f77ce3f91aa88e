/** Control characters except tabs and ends of lines, and two code points that are no characters. */
const notInXml = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu;

/**
 * A text without what XML 1.0 forbids in a document even when escaped: most control characters, and halves of surrogate
 * pairs. Removes control characters above 126 as well, which XML allows and no text needs.
 */
export function withoutControls(text: string): string {
  return text.toWellFormed().replace(notInXml, '');
}

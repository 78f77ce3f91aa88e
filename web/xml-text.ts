/** Control characters but for tabs and ends of lines, and two that are no characters. */
const notInXml = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu;

/**
 * A text without what XML 1.0 forbids in a document, however it is written: most control characters and halves of
 * surrogate pairs. Those above 126 are allowed and still of no use in a text.
 */
export function withoutControls(text: string): string {
  return text.toWellFormed().replace(notInXml, '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that it is about.
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;

/**
 * A text without what XML 1.0 forbids in a document, however it is written: most control characters and halves of
 * surrogate pairs. Those above 126 are allowed and still of no use in a text.
 */
export function withoutControls(text: string): string {
  return text.toWellFormed().replace(notInXml, '');
}

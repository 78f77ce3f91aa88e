import Type from 'typebox';

/**
 * Characters by what they would do to a line of text, as parts of a character class. The patterns have no look-ahead and no
 * half character, which the expressions of Rust and Go cannot have: clients in any language compile the expressions of the schemas.
 */
const controls = '\\u0000-\\u001f\\u007f-\\u009f';
const lineEnds = '\\u2028\\u2029';
const turns = '\\u202a-\\u202e\\u2066-\\u2069';
/** The white space of a line. */
const space = ' \\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\ufeff';

const inMarked = `${controls}${lineEnds}`;
const inLine = `${inMarked}${turns}`;

/**
 * A name is one line of text that shows something: a control character ends headers and lines, an override turns what
 * stands behind the name, and half a character, which isLine() alone refuses, is none. `orNothing` is for texts that may
 * be empty.
 *
 * The marks that turn text may be in names of monitors and groups, which end them, and in titles and descriptions, as
 * programs write them around what they fill in. Titles are cut first, and half a character and a separator of lines in
 * them are replaced: a client that writes its title badly must not fail to open an incident.
 */
export const linePatterns = {
  line: `^[${space}]*[^\\s${inLine}][^${inLine}]*$`,
  markedLine: `^[${space}]*[^\\s${inMarked}][^${inMarked}]*$`,
  markedLineOrNothing: `^[^${inMarked}]*$`,
  title: `^\\s*[^\\s${controls}](?:[^${controls}]*[^\\s${controls}])?\\s*$`,
  titleOrNothing: `^\\s*(?:[^\\s${controls}](?:[^${controls}]*[^\\s${controls}])?\\s*)?$`,
} as const;
type LineKind = keyof typeof linePatterns;

const expressions = Object.fromEntries(
  Object.entries(linePatterns).map(([kind, pattern]) => [kind, new RegExp(pattern, 'u')]),
) as Record<LineKind, RegExp>; // It has the keys of the patterns.

/** Says what a text of the kind must be, as the end of a sentence. */
export function lineRule(kind: LineKind): string {
  const rule = `must be one line of text,${kind.endsWith('OrNothing') ? '' : ' not blank,'} without control characters`;
  return kind.startsWith('line') ? `${rule} and without marks that turn the direction of text` : rule;
}

/** The schema of a name in a request. Answers have none: a name that is stored stays readable. */
export function Line(
  kind: LineKind,
  { charsMax, description }: { charsMax?: number | undefined; description?: string } = {},
) {
  return Type.String({
    ...(!kind.endsWith('OrNothing') && { minLength: 1 }),
    ...(charsMax !== undefined && { maxLength: charsMax }),
    pattern: linePatterns[kind],
    ...(description !== undefined && { description }),
  });
}

/** Says what is wrong with a text that the pattern of a schema refuses; `undefined` for any other pattern. */
export function lineRuleOf(pattern: string): string | undefined {
  const kind = (Object.keys(linePatterns) as LineKind[]) // It has no other keys.
    .find((one) => linePatterns[one] === pattern);
  return kind && lineRule(kind);
}

/** Whether a text is a line of the kind, in whole characters if it is no title. */
export function isLine(kind: LineKind, text: string): boolean {
  return expressions[kind].test(text) && (kind.startsWith('title') || !/\p{Cs}/u.test(text));
}

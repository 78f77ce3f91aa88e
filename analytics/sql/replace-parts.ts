/** A part of a text, from the character at `start` to the one in front of `end`, and what takes its place. */
export type Part = { start: number; end: number; text: string };

/** Returns the text with its parts replaced. Parts do not overlap; their order is free. */
export function replaceParts(text: string, parts: readonly Part[]): string {
  let replaced = '';
  let at = 0;
  for (const part of [...parts].sort((one, other) => one.start - other.start)) {
    replaced += text.slice(at, part.start) + part.text;
    at = part.end;
  }
  return replaced + text.slice(at);
}

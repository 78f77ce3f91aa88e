import type { ComponentChild } from 'preact';

/** The text with an element in place of each `{name}`. */
export function fillText(text: string, parts: Readonly<Record<string, ComponentChild>>): ComponentChild[] {
  return text.split(/\{(\w+)\}/).map((piece, at) => (at % 2 === 0 ? piece : parts[piece]));
}

/** At most about so many characters, cut at a space where there is one near, with an ellipsis. */
export function clipText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const cut = text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, '');
  const space = cut.search(/\s\S*$/);
  return `${(space > chars - 30 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

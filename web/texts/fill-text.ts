import type { ComponentChild } from 'preact';

/** Returns the text with an element in place of each `{name}`. */
export function fillText(text: string, parts: Readonly<Record<string, ComponentChild>>): ComponentChild[] {
  return text.split(/\{(\w+)\}/).map((piece, at) => (at % 2 === 0 ? piece : parts[piece]));
}

/** Returns a message with an element in place of each placeholder. */
export function fillMessage<Name extends string>(
  write: (values: Record<Name, string>) => string,
  parts: Readonly<Record<Name, ComponentChild>>,
): ComponentChild[] {
  const names = Object.keys(parts).map((name) => [name, `{${name}}`]);
  return fillText(write(Object.fromEntries(names)), parts);
}

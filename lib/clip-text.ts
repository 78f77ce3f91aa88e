/** Cuts a text to about `chars` characters, at a space if one is near, and adds an ellipsis. */
export function clipText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const cut = text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, '');
  const space = cut.search(/\s\S*$/);
  return `${(space > chars - 30 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

const urlChars = 2_048;

/**
 * What is wrong, in a sentence, with a URL that requests of a tenant's choice are to go to; undefined when it may
 * be stored. Which address it leads to is checked when a request connects: names change where they lead.
 */
export function problemOfOutboundUrl(text: string): string | undefined {
  if (text.length > urlChars) return `The URL is longer than ${urlChars} characters.`;
  if (!URL.canParse(text)) return `"${text}" is not a URL.`;
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') {
    return `The URL must start with http:// or https://, not "${protocol}".`;
  }
  if (username !== '' || password !== '') return 'The URL must not hold a user name or password.';
  return undefined;
}

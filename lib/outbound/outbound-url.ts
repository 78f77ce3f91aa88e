const urlCharsMax = 2_048;

/**
 * Returns why a URL cannot be the target of requests, in a sentence; `undefined` when it may be stored. The address
 * behind the name is checked when a request connects, because names change where they lead.
 */
export function problemOfOutboundUrl(text: string): string | undefined {
  if (text.length > urlCharsMax) return `The URL is longer than ${urlCharsMax} characters.`;
  if (!URL.canParse(text)) return `"${text}" is not a URL; give one such as https://example.com/path.`;
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') {
    return `The URL must start with http:// or https://, not "${protocol}".`;
  }
  if (username !== '' || password !== '') return 'The URL must not hold a user name or password.';
  return undefined;
}

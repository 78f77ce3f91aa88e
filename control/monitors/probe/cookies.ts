type Cookie = { name: string; value: string; host: string; path: string; secure: boolean };

/** The cookies of one check. */
export type Cookies = {
  /** Keeps the cookies of an answer, by their header `Set-Cookie`. */
  keep(url: URL, headers: readonly string[]): void;
  /** The header `Cookie` of a request, after the cookies that the monitor itself sends; `undefined` without any. */
  headerFor(url: URL, own: string | undefined): string | undefined;
};

const cookiesMax = 50;
/** Browsers keep no longer ones (RFC 6265bis, section 5.6). */
const charsMax = 4_096;

/**
 * Makes an empty store of cookies for the redirects of one check (RFC 6265). A cookie goes to the host that it is from
 * alone, whatever its `Domain` is.
 *
 * @param now milliseconds since the epoch
 */
export function createCookies(now: number): Cookies {
  let cookies: Cookie[] = [];
  return {
    keep(url, headers) {
      for (const header of headers) {
        const parsed = parseSetCookie(url, header, now);
        if (parsed === undefined) continue;
        const { cookie, isOver } = parsed;
        cookies = cookies.filter((one) => !isSame(one, cookie));
        if (!isOver && cookies.length < cookiesMax) cookies.push(cookie);
      }
    },
    headerFor(url, own) {
      const sent = cookies
        .filter((cookie) => isFor(cookie, url))
        .sort((a, b) => b.path.length - a.path.length);
      const newer = new Set(sent.map(({ name }) => name));
      const kept = (own ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair !== '' && !newer.has(pair.split('=', 1)[0] ?? ''));
      const pairs = [...kept, ...sent.map(({ name, value }) => `${name}=${value}`)];
      return pairs.length === 0 ? undefined : pairs.join('; ');
    },
  };
}

function isSame(one: Cookie, other: Cookie): boolean {
  return one.name === other.name && one.host === other.host && one.path === other.path;
}

function isFor({ host, path, secure }: Cookie, { hostname, pathname, protocol }: URL): boolean {
  const isBelow = pathname.startsWith(path) && (path.endsWith('/') || (pathname[path.length] ?? '/') === '/');
  return host === hostname && isBelow && (!secure || protocol === 'https:');
}

function parseSetCookie(
  url: URL,
  header: string,
  now: number,
): { cookie: Cookie; isOver: boolean } | undefined {
  if (header.length > charsMax) return undefined;
  const [pair = '', ...rest] = header.split(';');
  const [, name = '', value = ''] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/s.exec(pair) ?? [];
  // A value that HTTP does not allow in a header could not be sent.
  if (name === '' || /[^\t\x20-\x7e\x80-\xff]/.test(name + value)) return undefined;
  const attributes = new Map(
    rest.map((text) => {
      const [key = '', ...parts] = text.split('=');
      return [key.trim().toLowerCase(), parts.join('=').trim()] as const;
    }),
  );
  const secure = attributes.has('secure');
  if (secure && url.protocol !== 'https:') return undefined;
  const domain = attributes.get('domain')?.replace(/^\./, '').toLowerCase() ?? '';
  if (domain !== '' && url.hostname !== domain && !url.hostname.endsWith(`.${domain}`)) return undefined;
  const given = attributes.get('path') ?? '';
  const path = given.startsWith('/') ? given : url.pathname.slice(0, url.pathname.lastIndexOf('/')) || '/';
  return { cookie: { name, value, host: url.hostname, path, secure }, isOver: isOver(attributes, now) };
}

function isOver(attributes: ReadonlyMap<string, string>, now: number): boolean {
  const maxAge = attributes.get('max-age') ?? '';
  if (/^-?\d+$/.test(maxAge)) return Number(maxAge) <= 0;
  const endsAt = Date.parse(attributes.get('expires') ?? '');
  return !Number.isNaN(endsAt) && endsAt <= now;
}

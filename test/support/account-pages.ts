import { requestAt } from './request-at.js';
import type { TestService } from './service.js';

/** An answer of an account page. */
export type PageAnswer = {
  status: number;
  headers: Headers;
  html: string;
  /** Value of the cookie with the session, if the answer sets one; empty when it ends. */
  session: string | undefined;
  /** Cookies that the answer sets, for the next request. */
  cookie: string;
};

/** A browser that keeps cookies and follows no redirect. Host, language and headers may be given. */
export type AccountBrowser = {
  get(path: string, headers?: Record<string, string>): Promise<PageAnswer>;
  post(path: string, form: Record<string, string>, headers?: Record<string, string>): Promise<PageAnswer>;
  cookies: Map<string, string>;
};

export function openAccountBrowser(
  { url }: Pick<TestService, 'url'>,
  host = new URL(url).host,
): AccountBrowser {
  const cookies = new Map<string, string>();
  const send = async (
    method: string,
    path: string,
    sent: Record<string, string>,
    body?: string,
  ): Promise<PageAnswer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', ...(cookie !== '' && { cookie }), ...sent };
    const answer = await requestAt(url, host, path, { method, headers, ...(body !== undefined && { body }) });
    const set = answer.headers.get('set-cookie') ?? '';
    for (const [, name = '', value = ''] of set.matchAll(/(?:^|,)\s*([\w-]+)=([^;,]*); /g)) {
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const session = /(?:^|,)\s*(?:__Host-heartline|heartline-session)=([^;]*)/.exec(set)?.[1];
    return { ...answer, html: String(answer.body), session, cookie: set };
  };
  return {
    cookies,
    get: (path, headers = {}) => send('GET', path, headers),
    post: (path, form, headers = {}) =>
      send(
        'POST',
        path,
        {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
        new URLSearchParams(form).toString(),
      ),
  };
}

/** The text of the first element with an attribute, such as `role="alert"`, without its tags. */
export function textIn(html: string, attribute: string): string {
  const [, inner = ''] = new RegExp(`<p[^>]*${attribute}[^>]*>([\\s\\S]*?)</p>`).exec(html) ?? [];
  return inner.replaceAll(/<[^>]+>/g, '').replaceAll('&quot;', '"');
}

/** The value of a hidden or visible field. */
export function valueIn(html: string, name: string): string | undefined {
  const [input = ''] = new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(html) ?? [];
  return /value="([^"]*)"/.exec(input)?.[1];
}

/** Paths on the host of a status page. Every view has one in each language. */
export const statusPath = (language: string): string => `/${language}/`;
export const incidentPath = (language: string, id: string): string => `/${language}/incidents/${id}`;

/** The pictures that other sites show beside a link to the page and to an incident. */
export const statusCardPath = (language: string): string => `/${language}/card.png`;
export const incidentCardPath = (language: string, id: string): string =>
  `${incidentPath(language, id)}/card.png`;

/** The history of a month such as `2026-11`; of the current month when none is given. The first page has no number. */
export const historyPath = (language: string, month?: string, page = 1): string =>
  month === undefined ? `/${language}/history` : `/${language}/history/${month}${pageQuery(page)}`;

/** The query string that asks for a page of a month. */
export const pageQuery = (page: number): string => (page === 1 ? '' : `?page=${page}`);

/** Where readers of a private page send its password, and where the dashboard sends the people who run it. */
export const readerPath = '/reader/password';
export const readerPassPath = '/reader/pass';

export const subscribePath = '/subscribe';
export const subscribePathIn = (language: string): string => `/${language}${subscribePath}`;
export const feedPath = (language: string, format: 'rss' | 'atom' | 'json'): string =>
  `/${language}/feed.${format}`;

/** Where the documentation of this version is, on the host of the service. */
export const docsPath = '/docs';

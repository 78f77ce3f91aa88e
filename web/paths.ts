/** Paths on the host of a status page. Every view has one in each language. */
export const statusPath = (language: string): string => `/${language}/`;
export const incidentPath = (language: string, id: string): string => `/${language}/incidents/${id}`;

/** The history of a month such as `2026-11`; of the current month when none is given. */
export const historyPath = (language: string, month?: string): string =>
  month === undefined ? `/${language}/history` : `/${language}/history/${month}`;

export const subscribePath = '/subscribe';
export const subscribePathIn = (language: string): string => `/${language}${subscribePath}`;
export const feedPath = (language: string, format: 'rss' | 'atom' | 'json'): string =>
  `/${language}/feed.${format}`;

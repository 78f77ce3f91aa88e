/** Addresses on the host of a status page; in each language there is one of every view. */
export const statusPath = (language: string): string => `/${language}/`;
export const incidentPath = (language: string, id: string): string => `/${language}/incidents/${id}`;

/** Of the current month, or of a month such as `2026-11`. */
export const historyPath = (language: string, month?: string): string =>
  month === undefined ? `/${language}/history` : `/${language}/history/${month}`;

export const subscribePath = '/subscribe';
export const feedPath = (language: string, format: 'rss' | 'atom' | 'json'): string =>
  `/${language}/feed.${format}`;

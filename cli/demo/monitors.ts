/** What the demo page watches. `en` is the default language of the page. */
export type DemoMonitor = {
  slug: string;
  name: string;
  names: Readonly<Record<string, string>>;
  /** Response time in a quiet hour; null for the heartbeat, which has none. */
  usualMs: number | null;
};

/** Names that no name server ever knows (RFC 2606), so that whatever happens nobody out there is asked for anything. */
export function urlOf(slug: string): string {
  return `https://${slug}.demo.invalid/`;
}

export const demoLanguages = ['en', 'de', 'ja'];

export const demoMonitors: readonly DemoMonitor[] = [
  { slug: 'website', name: 'Website', names: { de: 'Website', ja: 'ウェブサイト' }, usualMs: 165 },
  { slug: 'api', name: 'API', names: { de: 'API', ja: 'API' }, usualMs: 82 },
  { slug: 'dashboard', name: 'Dashboard', names: { de: 'Dashboard', ja: 'ダッシュボード' }, usualMs: 235 },
  { slug: 'search', name: 'Search', names: { de: 'Suche', ja: '検索' }, usualMs: 118 },
  { slug: 'webhooks', name: 'Webhooks', names: { de: 'Webhooks', ja: 'Webhook' }, usualMs: 64 },
  {
    slug: 'background-jobs',
    name: 'Background jobs',
    names: { de: 'Hintergrundaufgaben', ja: 'バックグラウンド処理' },
    usualMs: null,
  },
];

/** Whether a monitor of a page that the demo filled is one that the demo made. */
export function isDemoMonitor(slug: string): boolean {
  return demoMonitors.some((monitor) => monitor.slug === slug);
}

/** A monitor of the demo page. `en` is the default language of the page. */
export type DemoMonitor = {
  slug: string;
  name: string;
  names: Readonly<Record<string, string>>;
  /** Response time in a quiet hour, in milliseconds; null for the heartbeat, which has none. */
  usualMs: number | null;
};

/** Host names that no name server resolves (RFC 2606), so that the demo never sends a request to a third party. */
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

/** Whether the demo created a monitor, on a page that the demo filled. */
export function isDemoMonitor(slug: string): boolean {
  return demoMonitors.some((monitor) => monitor.slug === slug);
}

/** The groups under whose names the page shows its monitors. */
export const demoGroups = [
  { slug: 'shop', name: 'Shop', names: { de: 'Shop', ja: 'ショップ' } },
  {
    slug: 'behind-the-scenes',
    name: 'Behind the scenes',
    names: { de: 'Hinter den Kulissen', ja: '内部システム' },
  },
] as const;

/** A monitor of the demo page. `en` is the default language of the page. */
export type DemoMonitor = {
  slug: string;
  name: string;
  names: Readonly<Record<string, string>>;
  group: (typeof demoGroups)[number]['slug'];
  /** Response time in a quiet hour, in milliseconds; null for the heartbeat, which has none. */
  usualMs: number | null;
};

/** Host names that no name server resolves (RFC 2606), so that the demo never sends a request to a third party. */
export function urlOf(slug: string): string {
  return `https://${slug}.demo.invalid/`;
}

export const demoLanguages = ['en', 'de', 'ja'];

export const demoMonitors: readonly DemoMonitor[] = [
  {
    slug: 'website',
    group: 'shop',
    name: 'Website',
    names: { de: 'Website', ja: 'ウェブサイト' },
    usualMs: 165,
  },
  { slug: 'api', group: 'shop', name: 'API', names: { de: 'API', ja: 'API' }, usualMs: 82 },
  {
    slug: 'dashboard',
    group: 'shop',
    name: 'Dashboard',
    names: { de: 'Dashboard', ja: 'ダッシュボード' },
    usualMs: 235,
  },
  { slug: 'search', group: 'shop', name: 'Search', names: { de: 'Suche', ja: '検索' }, usualMs: 118 },
  {
    slug: 'webhooks',
    group: 'behind-the-scenes',
    name: 'Webhooks',
    names: { de: 'Webhooks', ja: 'Webhook' },
    usualMs: 64,
  },
  {
    slug: 'background-jobs',
    group: 'behind-the-scenes',
    name: 'Background jobs',
    names: { de: 'Hintergrundaufgaben', ja: 'バックグラウンド処理' },
    usualMs: null,
  },
];

/** Whether the demo created a monitor, on a page that the demo filled. */
export function isDemoMonitor(slug: string): boolean {
  return demoMonitors.some((monitor) => monitor.slug === slug);
}

import type { Texts } from '../../../texts.js';

const en = {
  badge: 'Badge',
  badgeWhy: 'A small picture of the state, for a README or another site. It follows the page by itself.',
  of: 'What it shows',
  wholePage: 'The whole page',
  metric: 'Figure',
  metrics: { status: 'State', uptime: 'Uptime', 'response-time': 'Response time' },
  window: 'Over',
  windows: { '24h': '24 hours', '7d': '7 days', '30d': '30 days', '90d': '90 days', '365d': '365 days' },
  style: 'Style',
  styles: { flat: 'Round', 'flat-square': 'Square', plastic: 'Plastic' },
  now: 'The badge now',
  code: 'Code to copy',
  formats: { markdown: 'Markdown', html: 'HTML', url: 'Address' },
  widget: 'Widget',
  widgetWhy: 'The state of the page with a link to it, on your own site. It refreshes once a minute.',
  withScript: 'Script',
  withFrame: 'Frame, without scripts',
  feeds: 'Feeds and data',
  feedsWhy: 'Open to everybody, like the page itself.',
  feedNames: {
    rss: 'RSS feed',
    atom: 'Atom feed',
    json: 'JSON feed',
    embed: 'State as JSON',
    summary: 'Uptime and response times as JSON',
    badge: 'Badge as JSON, for shields.io',
  },
  copy: (name: string) => `Copy the address: ${name}`,
};

const de: typeof en = {
  badge: 'Abzeichen',
  badgeWhy:
    'Ein kleines Bild des Zustands für ein README oder eine andere Website. Es folgt der Seite von selbst.',
  of: 'Was es zeigt',
  wholePage: 'Die ganze Seite',
  metric: 'Wert',
  metrics: { status: 'Zustand', uptime: 'Verfügbarkeit', 'response-time': 'Antwortzeit' },
  window: 'Über',
  windows: { '24h': '24 Stunden', '7d': '7 Tage', '30d': '30 Tage', '90d': '90 Tage', '365d': '365 Tage' },
  style: 'Stil',
  styles: { flat: 'Rund', 'flat-square': 'Eckig', plastic: 'Plastisch' },
  now: 'Das Abzeichen jetzt',
  code: 'Code zum Kopieren',
  formats: { markdown: 'Markdown', html: 'HTML', url: 'Adresse' },
  widget: 'Widget',
  widgetWhy:
    'Der Zustand der Seite mit einem Link zu ihr, auf Ihrer eigenen Website. Es erneuert sich jede Minute.',
  withScript: 'Skript',
  withFrame: 'Rahmen, ohne Skripte',
  feeds: 'Feeds und Daten',
  feedsWhy: 'Offen für alle, wie die Seite selbst.',
  feedNames: {
    rss: 'RSS-Feed',
    atom: 'Atom-Feed',
    json: 'JSON-Feed',
    embed: 'Zustand als JSON',
    summary: 'Verfügbarkeit und Antwortzeiten als JSON',
    badge: 'Abzeichen als JSON, für shields.io',
  },
  copy: (name: string) => `Adresse kopieren: ${name}`,
};

export const badgesTexts: Texts<typeof en> = { en, de };

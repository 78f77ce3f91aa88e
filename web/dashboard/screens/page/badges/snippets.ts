import type { BadgeMetric, BadgeStyle, BadgeWindow } from '../../../../../contract/public/badges.js';
import { searchOf } from '../../../address/use-address.js';

/** The subject of a badge. Without a service it shows the whole page, whose figure is its state. */
export type BadgeChoice = {
  service: { slug: string; name: string } | undefined;
  metric: BadgeMetric;
  window: BadgeWindow;
  style: BadgeStyle;
};

/** The query of a badge; what is usual is left out. */
export function badgeQuery({
  service,
  metric,
  window,
  style,
}: BadgeChoice): Record<string, string | undefined> {
  const hasFigure = service !== undefined && metric !== 'status';
  return {
    metric: hasFigure ? metric : undefined,
    window: hasFigure && window !== '30d' ? window : undefined,
    style: style === 'flat' ? undefined : style,
  };
}

/** The address of a badge on the host of the page. */
export function badgeUrl(pageUrl: string, choice: BadgeChoice): string {
  const { service } = choice;
  const path = service === undefined ? '/badge.svg' : `/badge/${encodeURIComponent(service.slug)}.svg`;
  return new URL(path + searchOf(badgeQuery(choice)), pageUrl).href;
}

/** Code that shows a badge with a link to the page. `name` is what it is of. */
export function badgeCode(pageUrl: string, choice: BadgeChoice, name: string) {
  const url = badgeUrl(pageUrl, choice);
  return {
    markdown: `[![${name.replace(/[[\]\\]/g, '\\$&')}](${url})](${pageUrl})`,
    html: `<a href="${escapeHtml(pageUrl)}"><img src="${escapeHtml(url)}" alt="${escapeHtml(name)}"></a>`,
    url,
  };
}

/** Code that shows the widget of the page. */
export function widgetCode(pageUrl: string) {
  const at = (path: string) => new URL(path, pageUrl).href;
  return {
    script: `<script src="${at('/embed.js')}" async></script>`,
    frame: `<iframe src="${at('/embed')}" title="Status" width="340" height="84"
  style="border:0;color-scheme:normal"></iframe>`,
  };
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

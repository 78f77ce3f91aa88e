import type { SummaryDeps } from '../../../analytics/summary/summary.js';
import type { EmbedTheme } from '../../../contract/public/embed.js';
import type { PageId } from '../../../lib/ids.js';
import { describeEmbed, iconStateFor } from '../../../web/embed/embed-state.js';
import { embedViewPolicy, renderEmbedView } from '../../../web/embed/embed-view.js';
import { overallState } from '../../../web/state/page-state.js';
import type { Variant } from '../public-cache.js';
import { loadConditions } from './figures.js';

const cacheControl = 'public, max-age=60';
const noSniff = ['x-content-type-options', 'nosniff'] as const;
/** For sites that load only what says that they may. */
const crossOrigin = ['cross-origin-resource-policy', 'cross-origin'] as const;

/** Headers of what other sites show of a page, names and values in turn. */
export const embedHeaders = [...noSniff, ...crossOrigin] as const;

/** The content of the widget, as JSON. */
export function embedStateVariant(deps: SummaryDeps, language: string): Variant {
  return {
    name: `embed ${language}`,
    hasFigures: true,
    contentType: 'application/json; charset=utf-8',
    cacheControl,
    headers: noSniff,
    async render(pageId) {
      const loaded = await loadEmbed(deps, pageId, language);
      return loaded && JSON.stringify(loaded.embed);
    },
  };
}

/** The widget as HTML for a frame. */
export function embedFrameVariant(deps: SummaryDeps, language: string, theme: EmbedTheme): Variant {
  return {
    name: `embed frame ${theme} ${language}`,
    hasFigures: true,
    contentType: 'text/html; charset=utf-8',
    cacheControl,
    headers: [
      ...['content-security-policy', embedViewPolicy],
      ...['referrer-policy', 'no-referrer'],
      // The frame has no script that could ask for a newer state.
      ...['refresh', '60'],
      // A site that is isolated by this policy shows only frames that have it as well.
      ...['cross-origin-embedder-policy', 'require-corp'],
      ...embedHeaders,
    ],
    async render(pageId) {
      const loaded = await loadEmbed(deps, pageId, language);
      return loaded && renderEmbedView({ ...loaded, theme });
    },
  };
}

async function loadEmbed(deps: SummaryDeps, pageId: PageId, language: string) {
  const conditions = await loadConditions(deps, pageId);
  if (conditions === undefined) return undefined;
  const { brand, summary, incidents } = conditions;
  const overall = overallState(summary, incidents);
  return { embed: describeEmbed({ brand, language, overall, incidents }), icon: iconStateFor(overall) };
}

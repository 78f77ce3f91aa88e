import { loadResponseTimes } from '../../../analytics/summary/response-times.js';
import { loadSummary, loadUpptimeSummary, type SummaryDeps } from '../../../analytics/summary/summary.js';
import {
  type ResponseRange,
  responseRanges,
  usualResponseRange,
} from '../../../contract/public/response-times.js';
import { type SummaryInclude, summaryIncludes, summaryLimits } from '../../../contract/public/summary.js';
import type { Variant } from '../public-cache.js';

const contentType = 'application/json; charset=utf-8';
export const summaryCacheControl = 'public, max-age=60';
const revalidated = `public, max-age=0, s-maxage=${summaryLimits.freshSeconds}, must-revalidate`;

/** The variant that a query string asks for; `undefined` for an unknown include. */
export function summaryVariants(deps: SummaryDeps): (query: string) => Variant | undefined {
  const variantOf = (include?: SummaryInclude): Variant => ({
    name: `summary ${include ?? ''}`,
    hasFigures: true,
    contentType,
    cacheControl: include?.startsWith('response-time') ? revalidated : summaryCacheControl,
    render: async (pageId) => stringify(await loadSummary(deps, pageId, include)),
  });
  const plain = variantOf();
  const including = new Map(summaryIncludes.map((include) => [include as string, variantOf(include)]));
  // Nearly every request has one of these query strings, which then need not be parsed.
  const usual = new Map([...including].map(([include, variant]) => [`include=${include}`, variant]));
  return (query) => {
    if (query === '') return plain;
    const known = usual.get(query);
    if (known !== undefined) return known;
    const values = new URLSearchParams(query).getAll('include');
    const [include] = values;
    if (include === undefined) return plain;
    return values.length === 1 ? including.get(include) : undefined;
  };
}

export function upptimeVariant(deps: SummaryDeps): Variant {
  return {
    name: 'upptime',
    hasFigures: true,
    contentType,
    cacheControl: summaryCacheControl,
    render: async (pageId) => stringify(await loadUpptimeSummary(deps, pageId)),
  };
}

/** The variant that a query string asks for; `undefined` for an unknown range. */
export function responseTimesVariants(deps: SummaryDeps): (query: string) => Variant | undefined {
  const variantOf = (range: ResponseRange): Variant => ({
    name: `response times ${range}`,
    hasFigures: true,
    contentType,
    cacheControl: revalidated,
    render: async (pageId) => stringify(await loadResponseTimes(deps, pageId, range)),
  });
  const variants = new Map(responseRanges.map((range) => [range as string, variantOf(range)]));
  return (query) => {
    const [range = usualResponseRange, ...others] = new URLSearchParams(query).getAll('range');
    return others.length === 0 ? variants.get(range) : undefined;
  };
}

function stringify(body: object | undefined): string | undefined {
  return body && JSON.stringify(body);
}

import { createHash } from 'node:crypto';
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { cardSize } from '../cards/card.js';
import { feedPath } from '../page-paths.js';
import { accentStyle } from './accent.js';
import { ViewFooter, ViewHeader } from './header-footer.js';
import type { ViewContext } from './view-context.js';

export type Frame = {
  context: ViewContext;
  title: string;
  /** States the current condition, in a sentence or two. */
  description: string;
  /**
   * The picture that other sites show beside a link to the view, and what it says: sites keep a picture for days, so that
   * another state needs another address.
   */
  card?: { path: (language: string) => string; says: readonly string[] };
  /** The path of this view in a language; absent for a view without a lasting address. */
  pathIn?: (language: string) => string;
  /** Where the links to other languages lead; `pathIn` by default. */
  switchTo?: (language: string) => string;
  /** The path that leads to the language of the reader's browser. */
  defaultPath?: string;
  /** Whether the open view keeps itself up to date. */
  live: boolean;
  /** Whether the view has charts of response times. */
  withCharts?: boolean;
  children: ComponentChildren;
  /** Between the content and the footer; updates do not change it. */
  after?: ComponentChildren;
};

/** The HTML document around the content of a view. */
export function renderFrame(frame: Frame): string {
  const { context, live, children, after, pathIn, switchTo = pathIn } = frame;
  const { language } = context.view;
  const html = renderToString(
    <html lang={language} dir={context.format.direction}>
      <Head {...frame} />
      <body>
        <a class="skip" href="#main" {...context.own}>
          {context.texts.skip}
        </a>
        <ViewHeader context={context} />
        <main id="main" tabIndex={-1} {...(live && { 'data-live': '' })}>
          {children}
        </main>
        {after}
        <ViewFooter context={context} switchTo={switchTo} />
        <LiveTexts context={context} />
        <div class="tip" data-tip="" hidden />
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

function Head({ context, title, description, card, pathIn, defaultPath, withCharts = false }: Frame) {
  const { view, assets } = context;
  const { brand, language } = view;
  const style = accentStyle(brand.accent);
  const whole = `${title} · ${brand.name}`;
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{whole}</title>
      <meta name="description" content={description} />
      <meta name="robots" content={pathIn === undefined ? 'noindex' : 'index,follow'} />
      <meta name="theme-color" media="(prefers-color-scheme:light)" content="#f6f6f4" />
      <meta name="theme-color" media="(prefers-color-scheme:dark)" content="#0f1116" />
      <script src={assets.theme} />
      <link rel="stylesheet" href={assets.styles} />
      {/* Not a child: escaping would change it, and its hash with it. */}
      {style !== '' && <style dangerouslySetInnerHTML={{ __html: style }} />}
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      {pathIn !== undefined && <Addresses context={context} pathIn={pathIn} defaultPath={defaultPath} />}
      <link rel="alternate" type="application/rss+xml" title={brand.name} href={feedPath(language, 'rss')} />
      <link
        rel="alternate"
        type="application/atom+xml"
        title={brand.name}
        href={feedPath(language, 'atom')}
      />
      <link
        rel="alternate"
        type="application/feed+json"
        title={brand.name}
        href={feedPath(language, 'json')}
      />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={brand.name} />
      <meta property="og:title" content={whole} />
      <meta property="og:description" content={description} />
      <meta property="og:locale" content={language.replace('-', '_')} />
      {card !== undefined && (
        <>
          <meta
            property="og:image"
            content={`${brand.origin}${card.path(language)}?v=${hashOf(card.says)}`}
          />
          <meta property="og:image:type" content="image/png" />
          <meta property="og:image:width" content={String(cardSize.width)} />
          <meta property="og:image:height" content={String(cardSize.height)} />
          <meta property="og:image:alt" content={description} />
        </>
      )}
      <meta name="twitter:card" content={card === undefined ? 'summary' : 'summary_large_image'} />
      <script type="module" src={assets.live} />
      <script type="module" src={assets.details} />
      {withCharts && <script type="module" src={assets.chart} />}
    </head>
  );
}

const hashOf = (texts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(texts)).digest('base64url').slice(0, 8);

type AddressesProps = {
  context: ViewContext;
  pathIn: (language: string) => string;
  defaultPath?: string | undefined;
};

/** Links to the view in every language. */
function Addresses({ context, pathIn, defaultPath }: AddressesProps) {
  const { brand, language } = context.view;
  const canonical = brand.origin + pathIn(language);
  return (
    <>
      <link rel="canonical" href={canonical} />
      {brand.languages.map((tag) => (
        <link key={tag} rel="alternate" hreflang={tag} href={brand.origin + pathIn(tag)} />
      ))}
      <link
        rel="alternate"
        hreflang="x-default"
        href={brand.origin + (defaultPath ?? pathIn(brand.defaultLanguage))}
      />
      <meta property="og:url" content={canonical} />
    </>
  );
}

/**
 * The texts of the script, and the element in which it announces changes. The script fills in `{state}`, `{duration}`
 * and `{rate}`; `data-locale` is the tag for `Intl`.
 */
export function LiveTexts({ context: { texts, format, own } }: { context: ViewContext }) {
  return (
    <div
      class="visually-hidden"
      role="status"
      aria-live="polite"
      data-announce=""
      data-locale={format.locale}
      data-text-changed={texts.changed({ state: '{state}' })}
      data-text-good={texts.day.good}
      data-text-down={texts.day.down({ duration: '{duration}' })}
      data-text-degraded={texts.day.degraded({ duration: '{duration}' })}
      data-text-failed={texts.day.failed({ rate: '{rate}' })}
      data-text-unmeasured={texts.day.unmeasured}
      data-text-average={texts.chart.average({ ms: '{ms}' })}
      data-text-p95={texts.chart.p95({ ms: '{ms}' })}
      {...own}
    />
  );
}

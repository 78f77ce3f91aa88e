import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { textsOf, type ViewLanguage } from '../texts/texts-of.js';
import type { ViewAssets } from './view-context.js';

type PlainDocument = {
  language: ViewLanguage;
  title: string;
  assets: ViewAssets;
  /** Whether the reader may have chosen a theme on this host, which a script then sets. */
  chosenTheme?: boolean;
  /** Rules besides the ones of all views; the policy of the answer names them. */
  style?: string;
  children: ComponentChildren;
};

/** An HTML document without a status page around it: no brand, no languages, nothing that is kept up to date. */
export function renderPlainDocument(document: PlainDocument): string {
  const { language, title, assets, chosenTheme = false, style, children } = document;
  const html = renderToString(
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <meta name="robots" content="noindex" />
        <meta name="theme-color" media="(prefers-color-scheme:light)" content="#f6f6f4" />
        <meta name="theme-color" media="(prefers-color-scheme:dark)" content="#0f1116" />
        {chosenTheme && <script src={assets.theme} />}
        <link rel="stylesheet" href={assets.styles} />
        {style !== undefined && <style dangerouslySetInnerHTML={{ __html: style }} />}
        {chosenTheme && <link rel="icon" href="/favicon.svg" type="image/svg+xml" />}
      </head>
      <body>
        <div class="top" />
        <main>{children}</main>
        <footer class="bottom">
          <p class="powered">{textsOf('view', language).poweredBy({ product: 'Heartline' })}</p>
        </footer>
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

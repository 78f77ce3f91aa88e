import { renderToString } from 'preact-render-to-string';
import { type ViewTextsLanguage, viewTextsByLanguage } from '../texts/languages.js';
import { Icon } from './elements.js';
import type { ViewAssets } from './view-context.js';

/** An empty link leads to the address of the view, with its query string. */
const sameAddress = '';

/** The answer while it is unknown which page a request is for, as HTML; nothing in it comes from a page. */
export function renderUnavailableView(language: ViewTextsLanguage, assets: ViewAssets): string {
  const texts = viewTextsByLanguage[language];
  const html = renderToString(
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{texts.unavailableTitle}</title>
        <meta name="robots" content="noindex" />
        <meta name="theme-color" media="(prefers-color-scheme:light)" content="#f6f6f4" />
        <meta name="theme-color" media="(prefers-color-scheme:dark)" content="#0f1116" />
        <script src={assets.theme} />
        <link rel="stylesheet" href={assets.styles} />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      </head>
      <body>
        <div class="top" />
        <main>
          <section class="overall stale">
            <span class="badge">
              <Icon kind="incident" />
            </span>
            <div>
              <h1>{texts.unavailableTitle}</h1>
              <p>{texts.unavailableText}</p>
              <p class="more">
                <a href={sameAddress}>{texts.tryAgain}</a>
              </p>
            </div>
          </section>
        </main>
        <footer class="bottom">
          <p class="powered">{texts.poweredBy('Heartline')}</p>
        </footer>
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

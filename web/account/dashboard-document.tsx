import { renderToString } from 'preact-render-to-string';
import { textsOf, type ViewLanguage } from '../texts/texts-of.js';
import type { AccountAssets } from './account-document.js';

/** The files of the dashboard, as the build names them. */
export type DashboardAssets = {
  /** A module; browsers load `imports` with it. */
  script: string;
  imports: readonly string[];
  styles: string;
};

/** The files by language; a reader of another one gets the English ones. */
export type LanguageAssets = Readonly<Record<string, DashboardAssets>> & { en: DashboardAssets };

type DashboardDocument = {
  language: ViewLanguage;
  assets: DashboardAssets & Pick<AccountAssets, 'theme'>;
  /** The data that the application starts with; it reads this instead of asking for it. */
  start: object;
};

/** The document in which the dashboard runs. */
export function renderDashboardDocument({ language, assets, start }: DashboardDocument): string {
  const texts = textsOf('account', language).dashboard;
  // A script of a type that is no script is data. `<` would let a name end the element.
  const data = JSON.stringify(start).replaceAll('<', '\\u003c');
  const html = renderToString(
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${texts.title} · Heartline`}</title>
        <meta name="robots" content="noindex" />
        <meta name="theme-color" media="(prefers-color-scheme:light)" content="#ffffff" />
        <meta name="theme-color" media="(prefers-color-scheme:dark)" content="#171a21" />
        <script src={assets.theme} />
        <link rel="stylesheet" href={assets.styles} />
        {assets.imports.map((path) => (
          <link key={path} rel="modulepreload" href={path} />
        ))}
        {/* JSON without "<", which no parser reads as markup. */}
        <script type="application/json" id="start" dangerouslySetInnerHTML={{ __html: data }} />
        <script type="module" src={assets.script} />
      </head>
      <body>
        <div id="dashboard" />
        <noscript>
          <main class="empty">
            <h1>{texts.title}</h1>
            <p>{texts.needsScript}</p>
          </main>
        </noscript>
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

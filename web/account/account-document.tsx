import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { languagesOf } from '../texts/areas.js';
import { nameOfLanguage } from '../texts/format.js';
import { textsOf, type ViewLanguage } from '../texts/texts-of.js';
import type { ViewAssets } from '../views/view-context.js';

/** Files that the account pages load, besides the ones of every view. */
export type AccountAssets = Pick<ViewAssets, 'styles' | 'theme'> & {
  account: string;
  /** Takes the code of a link out of the fragment of the address. */
  linkCode: string;
  /** Sends a form again that the service was too busy for. */
  sendAgain: string;
};

/** The values with which every account page is drawn. */
export type AccountView = {
  language: ViewLanguage;
  /** Whether the reader chose the language, so that links and forms keep it. */
  isChosen: boolean;
  assets: AccountAssets;
};

type AccountDocument = {
  view: AccountView;
  title: string;
  /** Path of this page, for the links to other languages. */
  path: string;
  /** Parameters of the query string that those links keep. */
  query?: Readonly<Record<string, string>>;
  /** Whether the page has a field for the code of a link. */
  takesLinkCode?: boolean;
  /** Whether the page has a form that is sent again. */
  sendsAgain?: boolean;
  /** A page of lists is wider than one of a form. */
  wide?: boolean;
  children: ComponentChildren;
};

const tags = languagesOf.view;

/** A path with the language that the reader chose, and with parameters. */
export function addressIn(
  view: AccountView,
  path: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const search = new URLSearchParams({ ...query, ...(view.isChosen && { lang: view.language }) }).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** The HTML document of an account page. Nothing in it needs a script. */
export function renderAccountDocument(document: AccountDocument): string {
  const { view, title, takesLinkCode = false, sendsAgain = false, wide = false, children } = document;
  const html = renderToString(
    <html lang={view.language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Heartline`}</title>
        <meta name="robots" content="noindex" />
        <meta name="theme-color" media="(prefers-color-scheme:light)" content="#f6f6f4" />
        <meta name="theme-color" media="(prefers-color-scheme:dark)" content="#0f1116" />
        <script src={view.assets.theme} />
        <link rel="stylesheet" href={view.assets.styles} />
        <link rel="stylesheet" href={view.assets.account} />
        {takesLinkCode && <script type="module" src={view.assets.linkCode} />}
        {sendsAgain && <script type="module" src={view.assets.sendAgain} />}
      </head>
      <body class={wide ? 'account wide' : 'account'}>
        <header class="product">
          <ProductMark />
          <span>Heartline</span>
        </header>
        <main>{children}</main>
        <Languages {...document} />
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

/** A line of a heartbeat. Decoration: the name stands beside it. */
function ProductMark() {
  return (
    <svg class="product-mark" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M4 12.5h3.5l2.2-5 4 9.5 2.3-4.5H20" />
    </svg>
  );
}

function Languages({ view, path, query = {} }: AccountDocument) {
  return (
    <footer class="account-foot">
      <nav aria-label={textsOf('account', view.language).languages}>
        <ul>
          {tags.map((tag) => (
            <li key={tag}>
              <a
                href={addressIn({ ...view, language: tag, isChosen: true }, path, query)}
                lang={tag}
                hreflang={tag}
                data-language=""
                {...(tag === view.language && { 'aria-current': 'true' as const })}
              >
                {nameOfLanguage(tag)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </footer>
  );
}

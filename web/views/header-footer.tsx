import type { PageBrand } from '../../contract/public/status-page.js';
import { historyPath, statusPath } from '../page-paths.js';
import { nameOfLanguage } from '../texts/format.js';
import type { ViewContext } from './view-context.js';

type FooterProps = { context: ViewContext; switchTo: ((language: string) => string) | undefined };

/** The view in other languages, the page's own links, and a link to the product. */
export function ViewFooter({ context, switchTo }: FooterProps) {
  const { texts, own } = context;
  const { brand, language } = context.view;
  return (
    <footer class="bottom">
      {switchTo !== undefined && brand.languages.length > 1 && (
        <nav aria-label={texts.languages} {...own}>
          <ul class="languages">
            {brand.languages.map((tag) => (
              <li key={tag}>
                <a
                  href={switchTo(tag)}
                  lang={tag}
                  hreflang={tag}
                  {...(tag === language && { 'aria-current': 'true' as const })}
                >
                  {nameOfLanguage(tag)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {brand.footerLinks.length > 0 && (
        <ul class="footer-links">
          {brand.footerLinks.map(({ label, url }) => (
            <li key={url}>
              {isWebAddress(url) ? (
                <a href={url} rel="noopener nofollow" dir="auto">
                  {label}
                </a>
              ) : (
                <span dir="auto">{label}</span>
              )}
            </li>
          ))}
        </ul>
      )}
      <p class="powered" {...own}>
        {texts.poweredBy({ product: 'Heartline' })}
      </p>
    </footer>
  );
}

/** Links are checked when they are stored. This check keeps a `javascript:` out whatever happened there. */
const isWebAddress = (url: string): boolean => /^(https?:\/\/|mailto:)/i.test(url);

/** The logo and the name of a page; a logo that stands alone is described by the name. */
export function BrandMark({ brand: { name, logoPath, logoAlone = false } }: { brand: PageBrand }) {
  return (
    <>
      {logoPath !== undefined && <img src={logoPath} alt={logoAlone ? name : ''} width="160" height="40" />}
      {!logoAlone && <span>{name}</span>}
    </>
  );
}

/** The brand, links to the other views, and the switch of the theme. */
export function ViewHeader({ context }: { context: ViewContext }) {
  const { texts, own } = context;
  const { brand, language } = context.view;
  return (
    <header class="top">
      <a class="brand" href={statusPath(language)} dir="auto">
        <BrandMark brand={brand} />
      </a>
      <nav class="actions" aria-label={texts.statusPage} {...own}>
        <a class="quiet-link" href={historyPath(language)}>
          {texts.history}
        </a>
        <a class="button" href={`${statusPath(language)}#subscribe`}>
          {texts.subscribe}
        </a>
      </nav>
      <button
        type="button"
        class="theme-switch"
        data-theme-switch=""
        data-auto={texts.themeAuto}
        data-light={texts.themeLight}
        data-dark={texts.themeDark}
        aria-label={texts.themeAuto}
        hidden
        {...own}
      >
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M12 3a9 9 0 0 0 0 18z" />
          <path d="M12 3a9 9 0 0 1 0 18z" />
        </svg>
      </button>
    </header>
  );
}

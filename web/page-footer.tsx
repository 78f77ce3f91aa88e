import { nameOfLanguage } from './format.js';
import type { PageContext } from './page-context.js';

type FooterProps = { page: PageContext; pathIn: ((language: string) => string) | undefined };

/** The same view in other languages, the page's own links, and what it is made with. */
export function PageFooter({ page, pathIn }: FooterProps) {
  const { texts, own } = page;
  const { brand, language } = page.view;
  return (
    <footer class="bottom">
      {pathIn !== undefined && brand.languages.length > 1 && (
        <nav aria-label={texts.languages}>
          <ul class="languages">
            {brand.languages.map((tag) => (
              <li key={tag}>
                <a
                  href={pathIn(tag)}
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
        {texts.poweredBy('Heartline')}
      </p>
    </footer>
  );
}

/** Whoever stored a link checked it; a `javascript:` must not get through whatever happened there. */
const isWebAddress = (url: string): boolean => /^(https?:\/\/|mailto:)/i.test(url);

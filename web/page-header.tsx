import type { PageContext } from './page-context.js';
import { historyPath, statusPath } from './page-paths.js';

/** Who this is, the way to the other views, and the switch of the theme. */
export function PageHeader({ page }: { page: PageContext }) {
  const { texts, own } = page;
  const { brand, language } = page.view;
  return (
    <header class="top">
      <a class="brand" href={statusPath(language)} dir="auto">
        {brand.logoPath !== undefined && <img src={brand.logoPath} alt="" width="160" height="40" />}
        <span>{brand.name}</span>
      </a>
      <nav class="actions" {...own}>
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

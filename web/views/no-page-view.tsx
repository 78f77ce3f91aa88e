import type { ViewTextsLanguage } from '../texts/languages.js';
import { startTextsByLanguage } from '../texts/start-texts.js';
import { Icon } from './elements.js';
import { renderPlainDocument } from './plain-document.js';
import type { ViewAssets } from './view-context.js';

/** The answer on a host without a status page, as HTML. `address` is that of the page that was probably meant. */
export function renderNoPageView(
  language: ViewTextsLanguage,
  assets: ViewAssets,
  address: string | undefined,
): string {
  const texts = startTextsByLanguage[language];
  const title = address === undefined ? texts.noPageTitle : texts.elsewhereTitle;
  return renderPlainDocument({
    ...{ language, assets, title },
    children: (
      <section class="overall plain">
        <span class="badge">
          <Icon kind="stale" />
        </span>
        <div>
          <h1>{title}</h1>
          {address === undefined ? (
            <p>{texts.noPageText}</p>
          ) : (
            <p class="more">
              {texts.servedAt} <a href={address}>{address}</a>
            </p>
          )}
        </div>
      </section>
    ),
  });
}

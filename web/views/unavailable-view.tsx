import { textsOf, type ViewLanguage } from '../texts/texts-of.js';
import { Icon } from './elements.js';
import { renderPlainDocument } from './plain-document.js';
import type { ViewAssets } from './view-context.js';

/** An empty link leads to the address of the view, with its query string. */
const sameAddress = '';

/** The answer while it is unknown which page a request is for, as HTML; nothing in it comes from a page. */
export function renderUnavailableView(language: ViewLanguage, assets: ViewAssets): string {
  const texts = textsOf('view', language);
  return renderPlainDocument({
    ...{ language, assets, title: texts.unavailableTitle, chosenTheme: true },
    children: (
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
    ),
  });
}

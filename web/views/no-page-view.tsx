import type { StartTexts } from '../texts/areas.js';
import { textsOf, type ViewLanguage } from '../texts/texts-of.js';
import { Icon } from './elements.js';
import { renderPlainDocument } from './plain-document.js';
import type { ViewAssets } from './view-context.js';

type NoPage = {
  /** The address of the page that was probably meant. */
  address: string | undefined;
  /** The setting with which the dashboard would be here, where somebody looks for it. */
  toSet: string | undefined;
};

/** The answer on a host without a status page, as HTML. */
export function renderNoPageView(
  language: ViewLanguage,
  assets: ViewAssets,
  { address, toSet }: NoPage,
): string {
  const texts = textsOf('start', language);
  const title = titleOf(texts, { address, toSet });
  return renderPlainDocument({
    ...{ language, assets, title },
    children: (
      <section class="overall plain">
        <span class="badge">
          <Icon kind="stale" />
        </span>
        <div>
          <h1>{title}</h1>
          {address !== undefined && (
            <p class="more">
              {texts.servedAt} <a href={address}>{address}</a>
            </p>
          )}
          {address === undefined && <p>{toSet === undefined ? texts.noPageText : texts.closedText}</p>}
          {address === undefined && toSet !== undefined && (
            <p class="about">
              <code>{toSet}</code>
            </p>
          )}
        </div>
      </section>
    ),
  });
}

function titleOf(texts: StartTexts, { address, toSet }: NoPage): string {
  if (address !== undefined) return texts.elsewhereTitle;
  return toSet === undefined ? texts.noPageTitle : texts.closedTitle;
}

import type { PublicView } from '../contract/status-page.js';
import { Icon } from './icons.js';
import type { PageAssets } from './page-assets.js';
import { openContext } from './page-context.js';
import { renderFrame } from './page-frame.js';
import { statusPath } from './page-paths.js';

/** What is answered where a status page has nothing, as HTML. */
export function renderNotFoundPage(view: PublicView, assets: PageAssets): string {
  const page = openContext(view, assets);
  const { texts, own } = page;
  return renderFrame({
    page,
    title: texts.notFoundTitle,
    description: texts.notFoundTitle,
    live: false,
    children: (
      <section class="overall plain" {...own}>
        <span class="badge">
          <Icon kind="stale" />
        </span>
        <div>
          <h1>{texts.notFoundTitle}</h1>
          <p>{texts.notFoundText}</p>
          <p class="more">
            <a href={statusPath(view.language)}>{texts.currentStatus}</a>
          </p>
        </div>
      </section>
    ),
  });
}

import { statusPath } from '../page-paths.js';
import { Icon } from './elements.js';
import { renderFrame } from './frame.js';
import type { ViewAssets } from './view-context.js';
import { openContext } from './view-context.js';
import type { ViewInput } from './view-inputs.js';

/** The view for an address where a status page has nothing, as HTML. */
export function renderNotFoundView(view: ViewInput, assets: ViewAssets): string {
  const context = openContext(view, assets);
  const { texts, own } = context;
  return renderFrame({
    context,
    title: texts.notFoundTitle,
    description: texts.notFoundTitle,
    // A path that is missing is missing in every language.
    switchTo: statusPath,
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

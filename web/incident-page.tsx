import type { LedgerEntry } from '../contract/incidents.js';
import type { IncidentPageView } from '../contract/status-page.js';
import { clipText } from './fill-text.js';
import { announced, Facts, labelWord, pickFor, StateLabel, UpdateItem } from './incident-parts.js';
import type { PageAssets } from './page-assets.js';
import { openContext } from './page-context.js';
import { renderFrame } from './page-frame.js';
import { incidentPath, statusPath } from './page-paths.js';
import type { IconState } from './state-icon.js';
import { Subscribe } from './subscribe-form.js';

/** One incident or maintenance with all that was said of it, newest first, as HTML. */
export function renderIncidentPage(view: IncidentPageView, assets: PageAssets): string {
  const page = openContext(view, assets);
  const { texts, own } = page;
  const { incident } = view;
  const title = pickFor(page, incident.title);
  const summary = pickFor(page, incident.summary);
  const latest = pickFor(page, incident.updates.at(-1)?.body ?? incident.summary);
  return renderFrame({
    page,
    title: clipText(title.text, 120),
    description: `${labelWord(texts, incident)} · ${clipText(latest.text, 200)}`,
    card: cardFor(incident),
    pathIn: (language) => incidentPath(language, incident.id),
    live: true,
    children: (
      <article class="whole-incident" aria-labelledby="incident" {...announced(page, incident)}>
        <p class="back" {...own}>
          <a href={statusPath(view.language)}>{texts.currentStatus}</a>
        </p>
        <header>
          <p class="kind" {...own}>
            {texts.type[incident.type]}
          </p>
          <StateLabel page={page} entry={incident} />
          <h1 id="incident" {...title.mark}>
            {title.text}
          </h1>
        </header>
        <Facts page={page} entry={incident} names={view.serviceNames} />
        <p class="text lead" {...summary.mark}>
          {summary.text}
        </p>
        <h2 {...own}>{texts.timeline}</h2>
        {incident.updates.length === 0 ? (
          <p class="nothing" {...own}>
            {texts.noUpdates}
          </p>
        ) : (
          <ol class="timeline" reversed>
            {incident.updates.toReversed().map((update) => (
              <UpdateItem key={update.id} page={page} update={update} />
            ))}
          </ol>
        )}
      </article>
    ),
    after: <Subscribe page={page} />,
  });
}

function cardFor({ type, resolvedAt, maintenanceState }: LedgerEntry): IconState {
  if (type === 'maintenance') return maintenanceState === 'completed' ? 'up' : 'maintenance';
  return resolvedAt === null ? 'trouble' : 'up';
}

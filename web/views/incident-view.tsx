import { clipText } from '../../lib/clip-text.js';
import { incidentCardPath, incidentPath, statusPath } from '../page-paths.js';
import { Time } from './elements.js';
import { renderFrame } from './frame.js';
import { announced, Facts, labelWord, latestOf, pickFor, StateLabel, UpdateItem } from './incident-parts.js';
import { IncidentText } from './incident-text.js';
import { Subscribe } from './subscriptions/subscribe-form.js';
import type { ViewAssets } from './view-context.js';
import { openContext } from './view-context.js';
import type { IncidentViewInput } from './view-inputs.js';

/** One incident or maintenance with its timeline, newest first, as HTML. */
export function renderIncidentView(view: IncidentViewInput, assets: ViewAssets): string {
  const context = openContext(view, assets);
  const { texts, own } = context;
  const { incident } = view;
  const title = pickFor(context, incident.title);
  return renderFrame({
    context,
    title: clipText(title.text, 120),
    description: `${labelWord(texts, incident)} · ${clipText(latestOf(context, incident), 200)}`,
    card: {
      path: (language) => incidentCardPath(language, incident.id),
      says: [title.text, labelWord(texts, incident)],
    },
    pathIn: (language) => incidentPath(language, incident.id),
    live: true,
    children: (
      <article class="whole-incident" aria-labelledby="incident" {...announced(context, incident)}>
        <p class="back" {...own}>
          <a href={statusPath(view.language)}>{texts.currentStatus}</a>
        </p>
        <header>
          <p class="kind" {...own}>
            {texts.type[incident.type]}
          </p>
          <StateLabel context={context} entry={incident} />
          <h1 id="incident" {...title.mark}>
            {title.text}
          </h1>
        </header>
        <Facts
          context={context}
          entry={incident}
          names={view.serviceNames}
          namedMax={Number.POSITIVE_INFINITY}
        />
        {incident.summary !== null && <IncidentText {...pickFor(context, incident.summary)} isLead />}
        {incident.postmortem !== undefined && (
          <section class="postmortem" aria-labelledby="postmortem">
            <h2 id="postmortem" {...own}>
              {texts.postmortem}
            </h2>
            <p class="note" {...own}>
              <Time context={context} at={incident.postmortem.publishedAt} />
            </p>
            <IncidentText {...pickFor(context, incident.postmortem.body)} />
          </section>
        )}
        <h2 {...own}>{texts.timeline}</h2>
        {incident.updates.length === 0 ? (
          <p class="nothing" {...own}>
            {texts.noUpdates}
          </p>
        ) : (
          <ol class="timeline" reversed>
            {incident.updates.toReversed().map((update) => (
              <UpdateItem key={update.id} context={context} update={update} />
            ))}
          </ol>
        )}
      </article>
    ),
    after: <Subscribe context={context} />,
  });
}

import type { ShownIncident } from '../../contract/public/status-page.js';
import { incidentPath } from '../page-paths.js';
import { plannedOf } from '../state/page-state.js';
import { isOpenIncident, isRunning } from '../state/service-state.js';
import { announced, Facts, pickFor, StateLabel, serviceNames, UpdateItem } from './incident-parts.js';
import { currentTextChars, IncidentText } from './incident-text.js';
import type { ViewContext } from './view-context.js';
import type { StatusViewInput } from './view-inputs.js';

type Props = { context: ViewContext; view: StatusViewInput };

const updatesShown = 3;

/** Open incidents and running maintenance, with their latest update. */
export function CurrentIncidents({ context, view }: Props) {
  const entries = [...view.incidents.filter(isOpenIncident), ...view.incidents.filter(isRunning)];
  if (entries.length === 0) return null;
  return (
    <section class="current" aria-labelledby="current">
      <h2 id="current" {...context.own}>
        {context.texts.happeningNow}
      </h2>
      {entries.map((entry) => (
        <Card key={entry.id} context={context} view={view} entry={entry} />
      ))}
    </section>
  );
}

/** Planned maintenance, the next first. */
export function PlannedMaintenance({ context, view }: Props) {
  const entries = plannedOf(view.incidents);
  if (entries.length === 0) return null;
  return (
    <section class="planned" aria-labelledby="planned">
      <h2 id="planned" {...context.own}>
        {context.texts.planned}
      </h2>
      {entries.map((entry) => (
        <Card key={entry.id} context={context} view={view} entry={entry} />
      ))}
    </section>
  );
}

function Card({ context, view, entry }: Props & { entry: ShownIncident }) {
  const title = pickFor(context, entry.title);
  const latest = entry.updates.slice(-updatesShown).reverse();
  const { updateCount = entry.updates.length } = entry;
  const isWhole = updateCount <= updatesShown && latest.every(({ body }) => body !== null);
  const path = incidentPath(view.language, entry.id);
  return (
    <article class={`event ${entry.type}`} id={`incident-${entry.id}`} {...announced(context, entry)}>
      <header>
        <h3 {...title.mark}>
          <a href={path}>{title.text}</a>
        </h3>
        <StateLabel context={context} entry={entry} />
      </header>
      <Facts context={context} entry={entry} names={serviceNames(view)} />
      {entry.summary !== null && (
        <IncidentText {...pickFor(context, entry.summary)} charsMax={currentTextChars} />
      )}
      {latest.length > 0 && (
        <ol class="timeline">
          {latest.map((update) => (
            <UpdateItem
              key={update.id}
              context={context}
              update={update}
              charsMax={currentTextChars}
              form="ago"
            />
          ))}
        </ol>
      )}
      {!isWhole && (
        <p class="more" {...context.own}>
          <a href={path}>{context.texts.allUpdates({ updates: updateCount })}</a>
        </p>
      )}
    </article>
  );
}

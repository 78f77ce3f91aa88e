import type { LedgerEntry } from '../contract/incidents.js';
import type { StatusPageView } from '../contract/status-page.js';
import { clipText } from './fill-text.js';
import { announced, Facts, pickFor, StateLabel, UpdateItem } from './incident-parts.js';
import { isOpenIncident, isPlanned, isRunning } from './overall-state.js';
import type { PageContext } from './page-context.js';
import { incidentPath } from './page-paths.js';
import { serviceNames } from './service-names.js';

type Props = { page: PageContext; view: StatusPageView };

const updatesShown = 3;
const textCharsShown = 1_000;

/** Incidents that are open, and maintenance that is under way, with what was said last. */
export function CurrentIncidents({ page, view }: Props) {
  const entries = [...view.incidents.filter(isOpenIncident), ...view.incidents.filter(isRunning)];
  if (entries.length === 0) return null;
  return (
    <section class="current" aria-labelledby="current">
      <h2 id="current" {...page.own}>
        {page.texts.happeningNow}
      </h2>
      {entries.map((entry) => (
        <Card key={entry.id} page={page} view={view} entry={entry} />
      ))}
    </section>
  );
}

/** Maintenance to come, the next first. */
export function PlannedMaintenance({ page, view }: Props) {
  const entries = view.incidents.filter(isPlanned).toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  if (entries.length === 0) return null;
  return (
    <section class="planned" aria-labelledby="planned">
      <h2 id="planned" {...page.own}>
        {page.texts.planned}
      </h2>
      {entries.map((entry) => (
        <Card key={entry.id} page={page} view={view} entry={entry} />
      ))}
    </section>
  );
}

function Card({ page, view, entry }: Props & { entry: LedgerEntry }) {
  const title = pickFor(page, entry.title);
  const summary = pickFor(page, entry.summary);
  const clip = (text: string) => clipText(text, textCharsShown);
  const latest = entry.updates.slice(-updatesShown).reverse();
  const path = incidentPath(view.language, entry.id);
  return (
    <article class={`event ${entry.type}`} id={`incident-${entry.id}`} {...announced(page, entry)}>
      <header>
        <h3 {...title.mark}>
          <a href={path}>{title.text}</a>
        </h3>
        <StateLabel page={page} entry={entry} />
      </header>
      <Facts page={page} entry={entry} names={serviceNames(view)} />
      {latest.length > 0 ? (
        <ol class="timeline">
          {latest.map((update) => (
            <UpdateItem key={update.id} page={page} update={update} clip={clip} />
          ))}
        </ol>
      ) : (
        <p class="text" {...summary.mark}>
          {clip(summary.text)}
        </p>
      )}
      {entry.updates.length > updatesShown && (
        <p class="more" {...page.own}>
          <a href={path}>{page.texts.allUpdates(entry.updates.length)}</a>
        </p>
      )}
    </article>
  );
}

import { type ShownIncident, type ShownUpdate, viewLimits } from '../../contract/public/status-page.js';
import { historyPath, incidentPath } from '../page-paths.js';
import { formatDay, lastDays } from '../state/day-marks.js';
import { isOver } from '../state/page-state.js';
import { isOpenIncident, isRunning } from '../state/service-state.js';
import { Day } from './elements.js';
import {
  announced,
  endOf,
  Facts,
  pickFor,
  type ServiceNames,
  StateLabel,
  serviceNames,
} from './incident-parts.js';
import { IncidentText, pastTextChars } from './incident-text.js';
import type { ViewContext } from './view-context.js';
import type { StatusViewInput } from './view-inputs.js';

const pastDays = 14;

/**
 * The last two weeks by UTC day, newest first; consecutive days without incidents share a line. What is open or running
 * is shown elsewhere, and its days are not called quiet.
 */
export function PastIncidents({ context, view }: { context: ViewContext; view: StatusViewInput }) {
  const { texts, own } = context;
  const groups = groupByDay(view.incidents, shownDays(view));
  const names = serviceNames(view);
  const noneIn = view.incidents.some(isOpenIncident) ? texts.noOtherIncidentsIn : texts.noIncidentsIn;
  return (
    <section class="past" aria-labelledby="past">
      <h2 id="past" {...own}>
        {texts.past}
      </h2>
      {groups.some(({ entries }) => entries.length > 0)
        ? groups.map((group) => <DayGroup key={group.from} context={context} group={group} names={names} />)
        : isWhole(view.incidents) && (
            <p class="nothing" {...own}>
              {noneIn({ days: pastDays })}
            </p>
          )}
      <p class="more" {...own}>
        <a href={historyPath(view.language)}>{texts.fullHistory}</a>
      </p>
    </section>
  );
}

/** Newest first. When there are too many incidents to show, the days of the omitted ones are omitted as well. */
function shownDays({ now, incidents }: StatusViewInput): string[] {
  const days = lastDays(now, pastDays).reverse();
  if (isWhole(incidents)) return days;
  const began = incidents.filter(isOver).map(dayOfStart);
  const oldest = began.sort()[0] ?? formatDay(now);
  return days.filter((day) => day >= oldest);
}

const isWhole = (incidents: readonly ShownIncident[]): boolean =>
  incidents.length < viewLimits.recentIncidents;

const dayOfStart = ({ startedAt }: ShownIncident): string => formatDay(Date.parse(startedAt));

/** A day with its incidents, or a run of days without any; `from` is the older end. */
type Group = { from: string; to: string; entries: ShownIncident[] };

function groupByDay(incidents: readonly ShownIncident[], days: readonly string[]): Group[] {
  const byDay = groupBy(incidents.filter(isOver), (entry) => shownDay(entry, days));
  const openSince = incidents.filter(isCurrent).map(dayOfStart).sort()[0];
  const groups: Group[] = [];
  let last: Group | undefined;
  for (const day of days) {
    const entries = byDay.get(day) ?? [];
    const isOpen = openSince !== undefined && day >= openSince;
    if (entries.length === 0 && isOpen) last = undefined;
    else if (entries.length === 0 && last?.entries.length === 0) last.from = day;
    else {
      last = { from: day, to: day, entries };
      groups.push(last);
    }
  }
  return groups;
}

const isCurrent = (entry: ShownIncident): boolean => isOpenIncident(entry) || isRunning(entry);

/** The day of the start; for a start before the shown days, the day of the end. */
function shownDay(entry: ShownIncident, days: readonly string[]): string | undefined {
  const began = dayOfStart(entry);
  if (days.includes(began)) return began;
  const end = endOf(entry);
  return end === null ? undefined : formatDay(Date.parse(end));
}

function DayGroup({ context, group, names }: { context: ViewContext; group: Group; names: ServiceNames }) {
  const { from, to, entries } = group;
  const { texts, format, own } = context;
  if (entries.length === 0) {
    return (
      <p class="quiet-days" {...own}>
        <span>{from === to ? format.day(to) : format.days(from, to)}</span> {texts.noIncidents}
      </p>
    );
  }
  return (
    <div class="day-group">
      <h3>
        <Day context={context} day={to} />
      </h3>
      {entries.map((entry) => (
        <PastIncident key={entry.id} context={context} entry={entry} names={names} level={4} />
      ))}
    </div>
  );
}

type PastProps = { context: ViewContext; entry: ShownIncident; names: ServiceNames; level: 3 | 4 };

/** An incident or maintenance in a few lines, with a link to its view. */
export function PastIncident({ context, entry, names, level }: PastProps) {
  const title = pickFor(context, entry.title);
  const last = entry.updates.at(-1);
  const Heading = level === 3 ? 'h3' : 'h4';
  return (
    // An incident that ends while the view is open moves here, and is announced.
    <article
      class="past-incident"
      id={`past-${entry.id}`}
      {...(level === 4 && isOver(entry) && announced(context, entry))}
    >
      <header>
        <Heading {...title.mark}>
          <a href={incidentPath(context.view.language, entry.id)}>{title.text}</a>
        </Heading>
        <StateLabel context={context} entry={entry} />
      </header>
      <Facts context={context} entry={entry} names={names} />
      {entry.summary !== null && (
        <IncidentText {...pickFor(context, entry.summary)} charsMax={pastTextChars} />
      )}
      {last !== undefined && <LastUpdate context={context} update={last} />}
    </article>
  );
}

type UpdateProps = { context: ViewContext; update: ShownUpdate };

/** The newest update, after the word for its status. */
function LastUpdate({ context, update }: UpdateProps) {
  return (
    <div class="last" dir="auto">
      <strong {...context.own}>{context.texts.updateStatus[update.status]}</strong>{' '}
      {update.body !== null && <IncidentText {...pickFor(context, update.body)} charsMax={pastTextChars} />}
    </div>
  );
}

/** The items by a key, in the order in which the keys first appear. */
export function groupBy<Key, Item>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

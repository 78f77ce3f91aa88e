import { isCalledOff } from '../../contract/incidents.js';
import type { ShownIncident, ShownUpdate } from '../../contract/public/status-page.js';
import { clipText } from '../../lib/clip-text.js';
import { toOneLine } from '../markdown/plain-text.js';
import { isOver } from '../state/page-state.js';
import { declaredState, isOpenIncident, type ServiceState } from '../state/service-state.js';
import { fillMessage } from '../texts/fill-text.js';
import { pickText } from '../texts/pick-text.js';
import { Icon, type IconKind, Time } from './elements.js';
import { IncidentText } from './incident-text.js';
import type { ViewContext } from './view-context.js';
import type { StatusViewInput } from './view-inputs.js';

type Texts = Readonly<Record<string, string>>;
export type ServiceNames = Readonly<Record<string, string>>;

export const endOf = ({ resolvedAt, scheduledEndAt }: ShownIncident): string | null =>
  resolvedAt ?? scheduledEndAt;

/** A text in the language of the view; `mark` names the language of the text where it is another one. */
export function pickFor(
  { view }: ViewContext,
  texts: Texts,
): { text: string; mark: { lang?: string; dir: 'auto' } } {
  const { text, language } = pickText(texts, view.language, view.brand.defaultLanguage);
  return { text, mark: { dir: 'auto', ...(language !== view.language && { lang: language }) } };
}

/** The state of an incident or maintenance as an icon and a word. */
export function StateLabel({ context: { texts }, entry }: { context: ViewContext; entry: ShownIncident }) {
  const { kind, word } = labelOf(texts, entry);
  return (
    <span class={`state ${kind}`}>
      <Icon kind={kind} />
      {word}
    </span>
  );
}

/** The state of an incident or maintenance in a word. */
export const labelWord = (texts: ViewContext['texts'], entry: ShownIncident): string =>
  labelOf(texts, entry).word;

function labelOf(texts: ViewContext['texts'], entry: ShownIncident): { kind: IconKind; word: string } {
  if (isCalledOff(entry)) return { kind: 'paused', word: texts.calledOff };
  if (entry.maintenanceState !== null) {
    const kind = { scheduled: 'waiting', in_progress: 'maintenance', completed: 'up' } as const;
    return { kind: kind[entry.maintenanceState], word: texts.maintenanceState[entry.maintenanceState] };
  }
  if (entry.resolvedAt !== null) return { kind: 'up', word: texts.updateStatus.resolved };
  const last = entry.updates.at(-1)?.status;
  // A reopened incident continues, whatever its latest update says.
  const isTold = last !== undefined && last !== 'resolved';
  return { kind: 'incident', word: isTold ? texts.updateStatus[last] : texts.ongoing };
}

/** The newest text of an incident, on one line; empty when the view has no room for it. */
export function latestOf(context: ViewContext, { updates, summary }: ShownIncident): string {
  const last = updates.at(-1);
  return toOneLine(pickFor(context, (last === undefined ? summary : last.body) ?? {}).text);
}

/** The announcement for screen readers when an incident appears or continues while the view is open. */
export function announced(context: ViewContext, entry: ShownIncident) {
  const text = `${pickFor(context, entry.title).text}: ${labelWord(context.texts, entry)}. ${clipText(latestOf(context, entry), 120)}`;
  return { 'data-incident': entry.id, 'data-incident-text': text };
}

type FactsProps = {
  context: ViewContext;
  entry: ShownIncident;
  names: ServiceNames;
  /** Names at most so many of the affected services, and counts the others. */
  namedMax?: number;
};

/** Start and end, the duration once it is over, and the affected services; of an open incident, with the states that it says. */
export function Facts({ context, entry, names, namedMax = usualNamedMax }: FactsProps) {
  const { texts, format } = context;
  const lasted = lastedMs(entry);
  const affected = entry.services.flatMap((slug) => {
    const name = names[slug];
    return name === undefined
      ? []
      : withState(context, name, isOpenIncident(entry) && declaredState(entry, slug));
  });
  return (
    <p class="facts">
      <span {...context.own}>
        <Span context={context} entry={entry} />
      </span>
      {lasted !== undefined && (
        <span {...context.own}>{texts.lasted({ duration: format.duration(lasted) })}</span>
      )}
      {affected.length > 0 && (
        <span dir="auto">{texts.affects({ names: listNames(context, affected, namedMax) })}</span>
      )}
    </p>
  );
}

/** Such as `API (degraded)`. */
function withState(
  { texts, view }: ViewContext,
  name: string,
  state: ServiceState | undefined | false,
): string {
  return state ? `${name} (${texts.serviceState[state].toLocaleLowerCase(view.language)})` : name;
}

/** An incident may name a thousand services, and a view shows two hundred incidents. */
const usualNamedMax = 20;

function listNames({ texts, format }: ViewContext, names: readonly string[], max: number): string {
  if (names.length <= max) return format.list(names);
  return `${names.slice(0, max).join(', ')} ${texts.andMore({ count: names.length - max })}`;
}

/** The duration of what is over and took any time. */
function lastedMs(entry: ShownIncident): number | undefined {
  const end = endOf(entry);
  if (!isOver(entry) || end === null) return undefined;
  const ms = Date.parse(end) - Date.parse(entry.startedAt);
  return ms > 0 ? ms : undefined;
}

function Span({ context, entry }: { context: ViewContext; entry: ShownIncident }) {
  const { texts } = context;
  const from = <Time context={context} at={entry.startedAt} />;
  const end = endOf(entry);
  if (isCalledOff(entry)) return from;
  if (entry.type === 'incident' && !isOver(entry)) return <>{fillMessage(texts.began, { time: from })}</>;
  if (end === null) return <>{fillMessage(texts.openSpan, { from })}</>;
  const isSameDay = context.format.isSameDay(Date.parse(end), Date.parse(entry.startedAt));
  const to = isSameDay ? (
    <Time context={context} at={end} form="time" since={entry.startedAt} />
  ) : (
    <Time context={context} at={end} />
  );
  return <>{fillMessage(texts.span, { from, to })}</>;
}

/** One update of a timeline, with its time, or how long ago that is. */
export function UpdateItem({
  context,
  update,
  charsMax,
  form,
}: {
  context: ViewContext;
  update: ShownUpdate;
  charsMax?: number;
  form?: 'ago';
}) {
  return (
    <li class={`update ${update.status}`}>
      <p class="update-head">
        <strong {...context.own}>{context.texts.updateStatus[update.status]}</strong>{' '}
        <Time context={context} at={update.createdAt} {...(form && { form })} />
      </p>
      {update.body !== null && <IncidentText {...pickFor(context, update.body)} charsMax={charsMax} />}
    </li>
  );
}

/** Names of the services in the language of the view, by slug. */
export function serviceNames({ summary, language }: StatusViewInput): ServiceNames {
  return Object.fromEntries(summary.services.map(({ slug, name, names }) => [slug, names[language] ?? name]));
}

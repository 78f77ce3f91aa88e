import type { ComponentChild } from 'preact';
import type { ShownIncident } from '../../contract/public/status-page.js';
import { clipText } from '../../lib/clip-text.js';
import { incidentPath } from '../page-paths.js';
import { namesServices, overallSentence, shortName } from '../state/overall-sentence.js';
import type { OverallState, TroubledService } from '../state/page-state.js';
import { isOpenIncident, isRunning } from '../state/service-state.js';
import { fillMessage, fillText } from '../texts/fill-text.js';
import { Icon, Time } from './elements.js';
import { labelWord, pickFor } from './incident-parts.js';
import type { ViewContext } from './view-context.js';
import type { StatusViewInput } from './view-inputs.js';

type Props = { context: ViewContext; view: StatusViewInput; state: OverallState };

const servicesMax = 6;
const incidentsMax = 3;
const titleCharsMax = 100;

/** The state of the whole page, which is what visitors come for: what is down since when, and what is done about it. */
export function Overall({ context, view, state }: Props) {
  const { texts, own } = context;
  const { lastChecked } = view.summary;
  const hint = hintOf(texts.overallHint, state);
  return (
    <section class={`overall ${state.kind}`} aria-labelledby="overall" {...own}>
      <span class="badge">
        <Icon kind={state.kind} />
      </span>
      <div>
        <h1 id="overall">
          <Sentence context={context} view={view} state={state} />
        </h1>
        {'services' in state && state.services.length > 1 && (
          <TroubledServices context={context} view={view} services={state.services} />
        )}
        {newsOf(view, state).map((entry) => (
          <News key={entry.id} context={context} entry={entry} />
        ))}
        {hint !== undefined && <p>{hint}</p>}
        {lastChecked !== null && (
          <p class="checked">
            {fillMessage(texts.lastChecked, { time: <Time context={context} at={lastChecked} form="ago" /> })}
          </p>
        )}
      </div>
    </section>
  );
}

/** Such as `Search is down, since 23:03`. Without the time, it is announced when it changes. */
function Sentence({ context, view, state }: Props) {
  const troubled = 'services' in state ? state.services : [];
  const links = troubled.map((service) => <ServiceLink key={service.slug} view={view} service={service} />);
  const sentence = (
    <span data-overall="">
      {fillText(
        overallSentence(view.language, state, (_, at) => `{${at}}`),
        Object.fromEntries(links.entries()),
      )}
    </span>
  );
  const since = troubledSince(view, state);
  if (since === undefined) return sentence;
  const time = <Time context={context} at={since} form="moment" />;
  return <>{fillMessage(context.texts.overall.since, { state: sentence, time })}</>;
}

/** Since when the only service that is not as it should be is so. */
export function troubledSince(view: StatusViewInput, state: OverallState): string | undefined {
  if (!('services' in state) || state.services.length !== 1) return undefined;
  return state.services.map((service) => sinceOf(view, service))[0];
}

/** Where monitoring does not know it, since the incident began. */
function sinceOf(view: StatusViewInput, service: TroubledService): string | undefined {
  return service.since ?? incidentOf(view, service)?.startedAt;
}

const incidentOf = ({ incidents }: StatusViewInput, { slug }: TroubledService): ShownIncident | undefined =>
  incidents.find((entry) => isOpenIncident(entry) && entry.services.includes(slug));

/** Leads to the incident, where there is one, otherwise to the service below. */
function ServiceLink({ view, service }: { view: StatusViewInput; service: TroubledService }) {
  const incident = incidentOf(view, service);
  const path = incident === undefined ? `#service-${service.slug}` : incidentPath(view.language, incident.id);
  return (
    <a href={path} dir="auto">
      {shortName(service, view.language)}
    </a>
  );
}

type TroubledProps = Omit<Props, 'state'> & { services: readonly TroubledService[] };

/** Each of several services in trouble: its name, with a link unless the sentence has one, and since when. */
function TroubledServices({ context, view, services }: TroubledProps) {
  const { texts } = context;
  const isNamed = namesServices(services);
  const shown = services.slice(0, servicesMax).map((service) => ({ service, since: sinceOf(view, service) }));
  if (isNamed && shown.every(({ since }) => since === undefined)) return null;
  return (
    <ul class="down-list">
      {shown.map(({ service, since }) => {
        const name = isNamed ? (
          <span dir="auto">{shortName(service, view.language)}</span>
        ) : (
          <ServiceLink view={view} service={service} />
        );
        return (
          <li key={service.slug}>
            {since === undefined
              ? name
              : fillMessage(texts.serviceSince, {
                  name,
                  time: <Time context={context} at={since} form="moment" />,
                })}
          </li>
        );
      })}
      {services.length > shown.length && <li>{texts.andMore({ count: services.length - shown.length })}</li>}
    </ul>
  );
}

/** Returns the news beside the state: open incidents, or else running maintenance. */
function newsOf({ incidents }: StatusViewInput, state: OverallState): readonly ShownIncident[] {
  const { kind } = state;
  if ('services' in state || kind === 'incident')
    return incidents.filter(isOpenIncident).slice(0, incidentsMax);
  return kind === 'maintenance' ? incidents.filter(isRunning).slice(0, incidentsMax) : [];
}

/** Such as `Searches fail · Identified 5 minutes ago`. */
function News({ context, entry }: { context: ViewContext; entry: ShownIncident }) {
  const title = pickFor(context, entry.title);
  return (
    <p class="news">
      <a href={incidentPath(context.view.language, entry.id)} {...title.mark}>
        {clipText(title.text, titleCharsMax)}
      </a>
      <span>{describeStage(context, entry)}</span>
    </p>
  );
}

/** How far the work on an incident is, or when a maintenance ends. */
function describeStage(context: ViewContext, entry: ShownIncident): ComponentChild {
  const { texts } = context;
  if (entry.type === 'maintenance' && entry.scheduledEndAt !== null) {
    const time = <Time context={context} at={entry.scheduledEndAt} form="moment" />;
    return fillMessage(texts.until, { time });
  }
  const word = labelWord(texts, entry);
  const last = entry.updates.at(-1);
  // An incident that continues without news has only the time of its beginning.
  if (last === undefined || word === texts.ongoing) {
    const time = <Time context={context} at={entry.startedAt} form="moment" />;
    return fillMessage(texts.serviceSince, { name: word, time });
  }
  return (
    <>
      {word} <Time context={context} at={last.createdAt} form="ago" />
    </>
  );
}

type Hints = ViewContext['texts']['overallHint'];

function hintOf(hints: Hints, state: OverallState): string | undefined {
  const { kind } = state;
  if (kind === 'up') return state.up < state.total ? hints.partly : undefined;
  return kind === 'paused' || kind === 'empty' || kind === 'waiting' || kind === 'stale'
    ? hints[kind]
    : undefined;
}

import { iconStateFor } from '../embed/embed-state.js';
import { statusPath } from '../paths.js';
import type { OverallState } from '../state/page-state.js';
import { isOpenIncident, isRunning, overallSentence, overallState } from '../state/page-state.js';
import { clipText, fillText, pickText } from '../texts/text.js';
import { CurrentIncidents, PlannedMaintenance } from './current-incidents.js';
import { Icon, Time } from './elements.js';
import { renderFrame } from './frame.js';
import { PastIncidents } from './past-incidents.js';
import { Services } from './services.js';
import { Subscribe } from './subscribe-form.js';
import { openContext, type ViewAssets, type ViewContext } from './view-context.js';
import type { StatusViewInput } from './view-inputs.js';

/** The status page as HTML. */
export function renderStatusView(view: StatusViewInput, assets: ViewAssets): string {
  const context = openContext(view, assets);
  const state = overallState(view.summary, view.incidents);
  const sentence = overallSentence(context.texts, state);
  return renderFrame({
    context,
    title: sentence,
    description: describe(context, view, sentence),
    card: iconStateFor(state),
    pathIn: statusPath,
    defaultPath: '/',
    live: true,
    children: (
      <>
        <Overall context={context} view={view} state={state} />
        <CurrentIncidents context={context} view={view} />
        <Services context={context} view={view} />
        <PlannedMaintenance context={context} view={view} />
        <PastIncidents context={context} view={view} />
      </>
    ),
    after: <Subscribe context={context} />,
  });
}

/** The state, what is happening, and the time of the last check. */
function describe({ texts, format }: ViewContext, view: StatusViewInput, sentence: string): string {
  const { brand, language, incidents, summary } = view;
  const current = incidents
    .filter((entry) => isOpenIncident(entry) || isRunning(entry))
    .map(({ title }) => clipText(pickText(title, language, brand.defaultLanguage).text, 100));
  const checked =
    summary.lastChecked === null
      ? []
      : [texts.lastChecked.replace('{time}', format.dateTime(Date.parse(summary.lastChecked)))];
  return [sentence, ...current.slice(0, 3), ...checked].join(' · ');
}

type OverallProps = { context: ViewContext; view: StatusViewInput; state: OverallState };

/** The state of the whole page, which is what visitors come for. */
export function Overall({ context, view, state }: OverallProps) {
  const { texts, own } = context;
  const { lastChecked } = view.summary;
  const hint = hintOf(texts.overallHint, state);
  return (
    <section class={`overall ${state.kind}`} aria-labelledby="overall" {...own}>
      <span class="badge">
        <Icon kind={state.kind} />
      </span>
      <div>
        <h1 id="overall" data-overall="">
          {overallSentence(texts, state)}
        </h1>
        {hint !== undefined && <p>{hint}</p>}
        {lastChecked !== null && (
          <p class="checked">
            {fillText(texts.lastChecked, { time: <Time context={context} at={lastChecked} form="ago" /> })}
          </p>
        )}
      </div>
    </section>
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

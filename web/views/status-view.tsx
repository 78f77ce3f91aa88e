import { clipText } from '../../lib/clip-text.js';
import { statusCardPath, statusPath } from '../page-paths.js';
import { formatDay } from '../state/day-marks.js';
import { overallSentence } from '../state/overall-sentence.js';
import { overallState } from '../state/page-state.js';
import { isOpenIncident, isRunning } from '../state/service-state.js';
import { pickText } from '../texts/pick-text.js';
import { CurrentIncidents, PlannedMaintenance } from './current-incidents.js';
import { Figures } from './figures/figures.js';
import { renderFrame } from './frame.js';
import { Objectives } from './objectives/objectives.js';
import { Overall, troubledSince } from './overall.js';
import { PastIncidents } from './past-incidents.js';
import { Services } from './services/services.js';
import { Subscribe } from './subscriptions/subscribe-form.js';
import { openContext, type ViewAssets, type ViewContext } from './view-context.js';
import type { StatusViewInput } from './view-inputs.js';

/** The status page as HTML. */
export function renderStatusView(view: StatusViewInput, assets: ViewAssets): string {
  const context = openContext(view, assets);
  const state = overallState(view.summary, view.incidents);
  const sentence = overallSentence(view.language, state);
  const since = troubledSince(view, state);
  return renderFrame({
    context,
    title: sentence,
    description: describe(
      context,
      view,
      since === undefined ? sentence : sayWhen(context, sentence, Date.parse(since)),
    ),
    card: { path: statusCardPath, says: [sentence, formatDay(view.now)] },
    pathIn: statusPath,
    defaultPath: '/',
    live: true,
    withCharts: true,
    children: (
      <>
        <Overall context={context} view={view} state={state} />
        <CurrentIncidents context={context} view={view} />
        <Services context={context} view={view} />
        <Objectives context={context} objectives={view.objectives} />
        <Figures context={context} figures={view.publicFigures} />
        <PlannedMaintenance context={context} view={view} />
        <PastIncidents context={context} view={view} />
      </>
    ),
    after: <Subscribe context={context} />,
  });
}

const sayWhen = ({ texts, format }: ViewContext, state: string, since: number): string =>
  texts.overall.since({ state, time: format.dateTime(since) });

/** The state, what is happening, and the time of the last check. */
function describe({ texts, format }: ViewContext, view: StatusViewInput, sentence: string): string {
  const { brand, language, incidents, summary } = view;
  const current = incidents
    .filter((entry) => isOpenIncident(entry) || isRunning(entry))
    .map(({ title }) => clipText(pickText(title, language, brand.defaultLanguage).text, 100));
  const checked =
    summary.lastChecked === null
      ? []
      : [texts.lastChecked({ time: format.dateTime(Date.parse(summary.lastChecked)) })];
  return [sentence, ...current.slice(0, 3), ...checked].join(' · ');
}

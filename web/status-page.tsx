import type { StatusPageView } from '../contract/status-page.js';
import { CurrentIncidents, PlannedMaintenance } from './current-incidents.js';
import { iconStateFor } from './embed-state.js';
import { clipText } from './fill-text.js';
import { Overall } from './overall.js';
import { overallSentence } from './overall-sentence.js';
import { isOpenIncident, isRunning, overallState } from './overall-state.js';
import type { PageAssets } from './page-assets.js';
import { openContext, type PageContext } from './page-context.js';
import { renderFrame } from './page-frame.js';
import { statusPath } from './page-paths.js';
import { PastIncidents } from './past-incidents.js';
import { pickText } from './pick-text.js';
import { Services } from './services.js';
import { Subscribe } from './subscribe-form.js';

/** The public page of a status page, as HTML. */
export function renderStatusPage(view: StatusPageView, assets: PageAssets): string {
  const page = openContext(view, assets);
  const state = overallState(view.summary, view.incidents);
  const sentence = overallSentence(page.texts, state);
  return renderFrame({
    page,
    title: sentence,
    description: describe(page, view, sentence),
    card: iconStateFor(state),
    pathIn: statusPath,
    defaultPath: '/',
    live: true,
    children: (
      <>
        <Overall page={page} view={view} state={state} />
        <CurrentIncidents page={page} view={view} />
        <Services page={page} view={view} />
        <PlannedMaintenance page={page} view={view} />
        <PastIncidents page={page} view={view} />
      </>
    ),
    after: <Subscribe page={page} />,
  });
}

/** The condition, what goes on, and when it was looked at. */
function describe({ texts, format }: PageContext, view: StatusPageView, sentence: string): string {
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

import type { EmbedState } from '../../contract/public/embed.js';
import type { CurrentIncident, PageBrand } from '../../contract/public/status-page.js';
import type { IconState } from '../badges/state-icon.js';
import { statusPath } from '../page-paths.js';
import { overallSentence } from '../state/overall-sentence.js';
import type { OverallState } from '../state/page-state.js';
import { isOpenIncident } from '../state/service-state.js';
import { pickText } from '../texts/pick-text.js';
import { textsOf } from '../texts/texts-of.js';

export type EmbedView = {
  brand: PageBrand;
  /** One of the page's languages. */
  language: string;
  overall: OverallState;
  incidents: readonly CurrentIncident[];
};

const embedStateOf: Readonly<Record<OverallState['kind'], EmbedState['state']>> = {
  ...{
    up: 'up',
    down: 'down',
    partial: 'partial',
    degraded: 'degraded',
    incident: 'incident',
    maintenance: 'maintenance',
    paused: 'paused',
  },
  ...{ empty: 'unknown', waiting: 'unknown', stale: 'unknown' },
};

const iconStateOf: Readonly<Record<EmbedState['state'], IconState>> = {
  ...{
    up: 'up',
    down: 'trouble',
    partial: 'trouble',
    degraded: 'trouble',
    incident: 'trouble',
    maintenance: 'maintenance',
  },
  ...{ paused: 'unknown', unknown: 'unknown' },
};

/** The state of a page as the widget shows it. */
export function describeEmbed({ brand, language, overall, incidents }: EmbedView): EmbedState {
  const texts = textsOf('view', language);
  const open = incidents.find(isOpenIncident);
  return {
    name: brand.name,
    state: embedStateOf[overall.kind],
    sentence: overallSentence(language, overall),
    language: texts.language,
    incident: open === undefined ? null : pickText(open.title, language, brand.defaultLanguage).text,
    url: `${brand.origin}${statusPath(language)}`,
  };
}

/** The icon for a page in this state. */
export function iconStateFor({ kind }: OverallState): IconState {
  return iconStateOf[embedStateOf[kind]];
}

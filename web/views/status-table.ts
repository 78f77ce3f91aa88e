import { clipText } from '../../lib/clip-text.js';
import { incidentPath, statusPath } from '../page-paths.js';
import { type GroupPart, inGroups } from '../state/groups.js';
import { overallSentence } from '../state/overall-sentence.js';
import { overallState, plannedOf } from '../state/page-state.js';
import { collectNews, isOpenIncident, isRunning, type ServiceState } from '../state/service-state.js';
import type { ViewTexts } from '../texts/areas.js';
import { type Format, formatIn } from '../texts/format.js';
import { pickText } from '../texts/pick-text.js';
import { textsOf } from '../texts/texts-of.js';
import type { StatusViewInput } from './view-inputs.js';

/** The input of the table: the view of the page without its drawings. */
export type StatusTextInput = Omit<
  StatusViewInput,
  'responseTimes' | 'objectives' | 'publicFigures' | 'dayIncidents'
>;

type Context = { view: StatusTextInput; texts: ViewTexts; format: Format };

const nameCharsMax = 80;

/** A sign for each state, so that the column is read at a glance without colour. */
const signs: Readonly<Record<ServiceState, string>> = {
  ...{ up: '+', degraded: '~', partial: '!', down: 'x', maintenance: '=' },
  ...{ paused: '-', unknown: '?', waiting: '?', stale: '?' },
};

/** The status page as a small table for terminals: states and uptime in columns, then what is announced. */
export function renderStatusText(view: StatusTextInput): string {
  const context = {
    view,
    texts: textsOf('view', view.language),
    format: formatIn(view.language, view.brand.timeZone),
  };
  const { brand, language, now, summary, incidents, groups } = view;
  const sentence = overallSentence(language, overallState(summary, incidents));
  const parts = inGroups(summary.services, groups, collectNews(incidents));
  const blocks = [
    [`${brand.name}: ${sentence}`, `${context.format.dateTime(now)}  ${brand.origin}${statusPath(language)}`],
    ...describeParts(context, parts),
    describeEntries(context, context.texts.happeningNow, [
      ...incidents.filter(isOpenIncident),
      ...incidents.filter(isRunning),
    ]),
    describeEntries(context, context.texts.planned, plannedOf(incidents)),
  ];
  const text = blocks.filter((block) => block.length > 0).map((block) => block.join('\n'));
  return `${text.map(withoutEscapes).join('\n\n')}\n`;
}

function describeParts(
  { view: { language }, texts, format }: Context,
  parts: readonly GroupPart<unknown>[],
): string[][] {
  const wordOf = (state: ServiceState) => texts.serviceState[state];
  const states = parts.flatMap((part) => [
    part.state,
    ...part.services.map(({ standing }) => standing.state),
  ]);
  const wordWidth = Math.max(0, ...states.map((state) => widthOf(wordOf(state))));
  const line = (state: ServiceState, uptime: string, name: string) => {
    const percent = uptime === 'N/A' ? '-' : format.writtenPercent(uptime);
    const word = wordOf(state);
    const space = ' '.repeat(wordWidth - widthOf(word));
    return `${signs[state]} ${word}${space}  ${percent.padStart(8)}  ${clipText(name, nameCharsMax)}`;
  };
  return parts.map(({ group, state, uptime, services }) => [
    ...(group === undefined ? [] : [line(state, uptime, group.names[language] ?? group.name)]),
    ...services.map(({ service, standing }) => {
      const name = service.names[language] ?? service.name;
      return line(standing.state, service.uptime, group === undefined ? name : `  ${name}`);
    }),
  ]);
}

function describeEntries(
  { view: { brand, language }, format }: Context,
  heading: string,
  entries: StatusTextInput['incidents'],
): string[] {
  if (entries.length === 0) return [];
  return [
    heading,
    ...entries.flatMap(({ id, title, startedAt }) => [
      `  ${format.dateTime(Date.parse(startedAt))}  ${clipText(pickText(title, language, brand.defaultLanguage).text, nameCharsMax)}`,
      `  ${brand.origin}${incidentPath(language, id)}`,
    ]),
  ];
}

/** Texts of tenants must not move the cursor or change the terminal of a reader. */
function withoutEscapes(text: string): string {
  return text.toWellFormed().replace(/[^\P{C}\n]/gu, '');
}

/** Characters that terminals draw in two cells (Unicode Standard Annex 11, as far as the page's own words need it). */
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;

const widthOf = (text: string): number => [...text].reduce((sum, one) => sum + (wide.test(one) ? 2 : 1), 0);

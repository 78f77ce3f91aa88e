import type { ShownIncident } from '../../contract/public/status-page.js';
import { type DrawnText, drawText } from '../markdown/draw-text.js';
import { isOver } from '../state/page-state.js';
import { pickText } from '../texts/pick-text.js';
import type { ViewInput } from './view-inputs.js';

/** Characters that are shown of a text of an incident that continues or is planned, and of a past one. */
export const currentTextChars = 1_000;
export const pastTextChars = 280;

type Props = DrawnText & {
  /** Language and direction of the text. */
  mark: { lang?: string; dir: 'auto' };
  isLead?: boolean;
};

/** The summary or an update of an incident, with its Markdown. */
export function IncidentText({ text, mark, charsMax, isLead = false }: Props) {
  const html = drawText({ text, charsMax });
  return <div class={isLead ? 'text lead' : 'text'} {...mark} dangerouslySetInnerHTML={{ __html: html }} />;
}

type View = Pick<ViewInput, 'language'> & { brand: Pick<ViewInput['brand'], 'defaultLanguage'> };

/** The texts that the status view draws of an incident. */
export const textsOfStatus = (view: View, incident: ShownIncident): DrawnText[] =>
  isOver(incident) ? textsOfPast(view, incident) : pickTexts(view, incident, currentTextChars);

/** The texts that a list of past incidents draws of one: the summary and the newest update. */
export const textsOfPast = (view: View, incident: ShownIncident): DrawnText[] =>
  pickTexts(view, { ...incident, updates: incident.updates.slice(-1) }, pastTextChars);

/** The texts of an incident that are drawn whole. */
export const textsOfWhole = (view: View, { postmortem, ...incident }: ShownIncident): DrawnText[] => [
  ...pickTexts(view, incident, undefined),
  ...(postmortem === undefined
    ? []
    : [
        {
          text: pickText(postmortem.body, view.language, view.brand.defaultLanguage).text,
          charsMax: undefined,
        },
      ]),
];

function pickTexts(
  { language, brand }: View,
  { summary, updates }: ShownIncident,
  charsMax: number | undefined,
): DrawnText[] {
  const texts = [summary, ...updates.map(({ body }) => body)];
  return texts.flatMap((text) =>
    text === null ? [] : [{ text: pickText(text, language, brand.defaultLanguage).text, charsMax }],
  );
}

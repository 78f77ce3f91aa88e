import { iconStateFor } from '../embed/embed-state.js';
import { dayAxis, markDays, worstDays } from '../state/day-marks.js';
import { overallSentence } from '../state/overall-sentence.js';
import { overallState } from '../state/page-state.js';
import { formatIn } from '../texts/format.js';
import { textsOf } from '../texts/texts-of.js';
import type { StatusViewInput } from '../views/view-inputs.js';
import type { Card } from './card.js';

type StatusCardInput = Pick<
  StatusViewInput,
  'brand' | 'language' | 'now' | 'historyDays' | 'summary' | 'incidents'
>;

/** The state of a page in words, and the days of its history: of each, the worst of all services. */
export function statusCard({ brand, language, now, historyDays, summary, incidents }: StatusCardInput): Card {
  const { services } = summary;
  const texts = textsOf('view', language);
  const state = overallState(summary, incidents);
  const axis = dayAxis(now, historyDays, services);
  const days = worstDays(services.map((service) => markDays(service, axis.days)));
  const text = axis.isWhole
    ? texts.lastDays({ days: axis.days.length })
    : texts.since({ day: formatIn(language).day(axis.days[0] ?? '') });
  return {
    pageName: brand.name,
    state: iconStateFor(state),
    headline: overallSentence(language, state),
    ...(days.length > 0 && { bars: { days, columns: axis.columns, text } }),
  };
}

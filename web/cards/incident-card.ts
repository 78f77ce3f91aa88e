import type { IconState } from '../badges/state-icon.js';
import { formatIn } from '../texts/format.js';
import { pickText } from '../texts/pick-text.js';
import { textsOf } from '../texts/texts-of.js';
import { labelWord } from '../views/incident-parts.js';
import type { IncidentViewInput } from '../views/view-inputs.js';
import type { Card } from './card.js';

/** The title of an incident or a maintenance, how far it is, and when it began or is to begin. */
export function incidentCard({
  brand,
  language,
  incident,
}: Pick<IncidentViewInput, 'brand' | 'language' | 'incident'>): Card {
  const { type, title, resolvedAt, startedAt, maintenanceState } = incident;
  const isOver = type === 'maintenance' ? maintenanceState === 'completed' : resolvedAt !== null;
  const troubled: IconState = type === 'maintenance' ? 'maintenance' : 'trouble';
  const began = formatIn(language, brand.timeZone).dateTime(Date.parse(startedAt));
  return {
    pageName: brand.name,
    state: isOver ? 'up' : troubled,
    headline: pickText(title, language, brand.defaultLanguage).text,
    note: `${labelWord(textsOf('view', language), incident)} · ${began}`,
  };
}

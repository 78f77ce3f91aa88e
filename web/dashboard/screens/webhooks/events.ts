import type { AnnouncementKind } from '../../../../contract/incidents.js';
import type { WebhooksTexts } from './texts.js';

/** The events in the order of the documentation. */
export const eventKinds: readonly AnnouncementKind[] = [
  ...(['created', 'updated', 'update_posted', 'resolved', 'reopened'] as const).map(
    (verb) => `incident.${verb}` as const,
  ),
  ...(['created', 'updated', 'update_posted', 'resolved', 'reopened'] as const).map(
    (verb) => `maintenance.${verb}` as const,
  ),
];

/** Stand for all events of one type, including events of later versions. */
const wholes = ['incident.*', 'maintenance.*'] as const;

export type EventChoice = AnnouncementKind | (typeof wholes)[number];

/** The choices, with the whole of each type first. */
export const eventChoices: readonly EventChoice[] = [...wholes, ...eventKinds];

/** An event in words; its name for one that this version does not know. */
export function wordEvent(name: string, texts: WebhooksTexts): string {
  const whole = wholes.find((one) => one === name);
  if (whole !== undefined) return texts.allOf[whole];
  if (name === 'webhook.test') return texts.test;
  const kind = eventKinds.find((one) => one === name);
  return kind === undefined ? name : texts.kinds[kind];
}

/** The host of a URL, and the beginning of its path: the rest may be a secret. */
export function nameReceiver(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : parsed.host;
}

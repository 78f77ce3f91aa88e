import type { IncidentType, UpdateStatus } from '../../../../../contract/incidents.js';

/** What is being written. An empty title or text draws as what is saved, or as a word that stands in for it. */
export type IncidentDraft = {
  /** The incident that the draft changes, or adds an update to; what the draft lacks is then as it is saved. */
  incidentId?: string | undefined;
  type?: IncidentType | undefined;
  title?: string | undefined;
  summary?: string | undefined;
  monitorSlugs?: readonly string[] | undefined;
  /** ISO-8601; now by default. */
  startedAt?: string | undefined;
  scheduledEndAt?: string | null | undefined;
  /** The update that would be posted. */
  update?: { status: UpdateStatus; body: string } | undefined;
  /** Translations by people, by language; `body` is that of the update. */
  texts?: Readonly<Record<string, { title?: string; summary?: string; body?: string }>> | undefined;
};

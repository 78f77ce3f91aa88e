import type { IncidentType, UpdateStatus } from '../../../../../contract/incidents.js';

/** An unsent incident. An empty title or text is drawn as the saved one, or as a placeholder. */
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
  /** Translations by people, by language; `body` is the text of the update. */
  texts?: Readonly<Record<string, { title?: string; summary?: string; body?: string }>> | undefined;
};

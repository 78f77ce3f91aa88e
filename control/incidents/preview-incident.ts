import type { AnnouncementKind, IncidentType, LedgerEntry, UpdateStatus } from '../../contract/incidents.js';
import type { IncidentPreview } from '../../contract/manage/incidents/incident-preview.js';
import type { Clock } from '../../lib/clock.js';
import { type IncidentId, newId, type PageId, type UpdateId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { loadTranslated } from '../translations/index.js';
import { maintenanceState } from './incident-row.js';
import { loadManagedIncident, type ManagedIncident } from './managed-incidents.js';
import type { ProvidedTexts } from './provide-texts.js';

/** A new incident, a change or an update that somebody is writing. */
export type IncidentDraft = {
  /** The incident that the draft changes, or adds an update to. */
  incidentId?: IncidentId | undefined;
  type?: IncidentType | undefined;
  title?: string | undefined;
  summary?: string | undefined;
  monitorSlugs?: readonly string[] | undefined;
  startedAt?: Date | undefined;
  scheduledEndAt?: Date | null | undefined;
  update?: { status: UpdateStatus; body: string } | undefined;
  texts?: ProvidedTexts | undefined;
};

/** An incident as it would be with a draft. */
export type DraftedIncident = {
  /** In the language and in the default language. */
  entry: LedgerEntry & { id: IncidentId };
  /** How it would be announced. */
  kind: AnnouncementKind;
  /** The update that would be posted; it is the last one of the entry. */
  update: LedgerEntry['updates'][number] | undefined;
  translated: IncidentPreview['translated'];
};

type DraftInput = {
  pageId: PageId;
  defaultLanguage: string;
  /** One of the languages of the page. */
  language: string;
  draft: IncidentDraft;
};

/**
 * Returns the incident as it would be with a draft. Stores nothing. Returns `undefined` when the page does not have the
 * incident that the draft is of.
 */
export async function draftIncident(
  deps: { sql: Sql; clock: Clock },
  { pageId, draft, ...languages }: DraftInput,
): Promise<DraftedIncident | undefined> {
  const { incidentId } = draft;
  const saved = incidentId && (await loadManagedIncident(deps, { pageId, incidentId, ...languages }));
  if (incidentId !== undefined && saved === undefined) return undefined;
  const now = deps.clock.now();
  const head = headOf({ draft, saved, now });
  const title = draft.title || saved?.title || '…';
  const summary = draft.summary || saved?.summary || '';
  const bodies = [...(saved?.updates ?? []), ...(draft.update ? [draft.update] : [])].map(({ body }) => body);
  const originals = [title, summary, ...bodies];
  const translate = await createTranslate(deps.sql, { pageId, ...languages, originals });
  const written = draft.texts?.[languages.language];
  const texts = {
    title: translate(title, written?.title),
    summary: translate(summary, written?.summary),
    update: translate(draft.update?.body ?? '', written?.body),
  };
  const update = draft.update && {
    ...{ id: newId<UpdateId>(now), status: draft.update.status, body: texts.update.texts },
    createdAt: new Date(now).toISOString(),
  };
  const updates = (saved?.updates ?? []).map(({ id, status, body, createdAt }) => ({
    ...{ id, status, body: translate(body).texts, createdAt },
  }));
  return {
    entry: {
      ...{ ...head, title: texts.title.texts, summary: texts.summary.texts },
      updates: update === undefined ? updates : [...updates, update],
    },
    ...{ kind: kindOf(head, { draft, saved }), update },
    translated: {
      title: texts.title.translated,
      summary: texts.summary.translated,
      update: texts.update.translated,
    },
  };
}

type Sides = { draft: IncidentDraft; saved: ManagedIncident | undefined };

function headOf({ draft, saved, now }: Sides & { now: number }) {
  const type = draft.type ?? saved?.type ?? 'incident';
  const startedAt = draft.startedAt ?? new Date(saved?.startedAt ?? now);
  const planned = draft.scheduledEndAt === undefined ? dateOf(saved?.scheduledEndAt) : draft.scheduledEndAt;
  const ended = dateOf(saved?.resolvedAt);
  const ends = ended === null && draft.update?.status === 'resolved';
  const resolvedAt = ends ? new Date(Math.max(now, startedAt.getTime())) : ended;
  const scheduledEndAt = type === 'maintenance' ? planned : null;
  const times = { type, started_at: startedAt, resolved_at: resolvedAt, scheduled_end_at: scheduledEndAt };
  return {
    ...{ id: draft.incidentId ?? newId<IncidentId>(now), type },
    services: [...(draft.monitorSlugs ?? saved?.monitorSlugs ?? [])],
    startedAt: startedAt.toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? null,
    publishedAt: saved?.publishedAt ?? new Date(now).toISOString(),
    scheduledEndAt: scheduledEndAt?.toISOString() ?? null,
    maintenanceState: maintenanceState(times, now),
  };
}

function dateOf(time: string | null | undefined): Date | null {
  return time === null || time === undefined ? null : new Date(time);
}

function kindOf({ type, resolvedAt }: ReturnType<typeof headOf>, { draft, saved }: Sides): AnnouncementKind {
  if (saved === undefined && draft.update === undefined) return `${type}.created`;
  if (draft.update === undefined) return `${type}.updated`;
  return resolvedAt !== null && (saved?.resolvedAt ?? null) === null
    ? `${type}.resolved`
    : `${type}.update_posted`;
}

type Translate = (
  original: string,
  written?: string,
) => { texts: Record<string, string>; translated: IncidentPreview['translated']['title'] };

/** Returns how a text reads in the language: as written for the draft, otherwise as it was translated before. */
async function createTranslate(
  sql: Sql,
  {
    pageId,
    language,
    defaultLanguage,
    originals,
  }: Omit<DraftInput, 'draft'> & { originals: readonly string[] },
): Promise<Translate> {
  const isOther = language !== defaultLanguage;
  const known = await loadTranslated(sql, pageId, originals, isOther ? [language] : []);
  return (original, written) => {
    const texts = { [defaultLanguage]: original };
    if (!isOther || original === '') return { texts, translated: null };
    if (written) return { texts: { ...texts, [language]: written }, translated: 'person' };
    const found = known.get(original)?.[language];
    if (found === undefined) return { texts, translated: 'none' };
    const translated = found.byPerson ? 'person' : 'machine';
    return { texts: { ...texts, [language]: found.text }, translated };
  };
}

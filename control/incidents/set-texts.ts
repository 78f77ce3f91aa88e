import type { Clock } from '../../lib/clock.js';
import type { IncidentId, PageId, UpdateId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { announce } from './announcements.js';
import type { Audit } from './audit.js';
import { rewriteHead } from './change-incident.js';
import { correctUpdateIn, loadUpdate, type StoredUpdate } from './correct-update.js';
import { countRevision, type IncidentRow, type IncidentVersion, lockIncident } from './incident-row.js';
import { checkRoomForChange, lockPageOfIncidents } from './limits.js';
import { parseText, parseTitle } from './parse-incident.js';
import { writeTexts } from './provide-texts.js';

/** Texts of an incident in one language; those that are absent stay as they are. */
export type IncidentTexts = {
  title?: string;
  summary?: string;
  updates?: readonly { id: string; body: string }[];
};

type TextsInput = {
  pageId: PageId;
  incidentId: IncidentId;
  /** One of the languages of the page. */
  language: string;
  texts: IncidentTexts;
  /** Announces the incident as updated, when something changed. */
  notify: boolean;
  /** Called in the transaction with the incident as it is; may refuse the change. */
  check?: (current: IncidentVersion) => void;
};

/**
 * Writes texts of an incident in one language. In the default language of the page this corrects the originals, which are
 * then translated as new texts are. In another one the texts take the place of translations, and the machine never
 * overwrites them. Returns false when the page has no such incident.
 *
 * @throws ServiceError `notFound` for a language that the page does not have, `invalidBody` for texts that are not fit
 *   and for updates that the incident does not have, `incidentLimit` when longer texts do not fit; what `check` throws.
 */
export async function setIncidentTexts(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  { pageId, incidentId, language, texts, notify, check }: TextsInput,
): Promise<boolean> {
  const parsed = parseTexts(texts);
  return inTransaction(sql, async (tx) => {
    await lockPageOfIncidents(tx, pageId);
    const incident = await lockIncident(tx, pageId, incidentId);
    if (incident === undefined) return false;
    check?.(incident);
    const isDefault = await isDefaultLanguage(tx, pageId, language);
    const updates = await findUpdates(tx, incident, parsed.updates ?? []);
    const target = { ...{ pageId, incident, language, texts: parsed, updates }, by, now: clock.now() };
    const changed = isDefault ? await correctOriginals(tx, target) : await writeTexts(tx, target);
    if (!changed) return true;
    await countRevision(tx, incidentId);
    const kind = `${incident.type}.updated` as const;
    if (notify) await announce(tx, { pageId, incidentId, kind, now: target.now });
    return true;
  });
}

function parseTexts({ title, summary, updates }: IncidentTexts): IncidentTexts {
  return {
    ...(title !== undefined && { title: parseTitle(title) }),
    ...(summary !== undefined && { summary: parseText('/summary', summary) }),
    ...(updates !== undefined && {
      updates: updates.map(({ id, body }, i) => ({ id, body: parseText(`/updates/${i}/body`, body) })),
    }),
  };
}

/** @throws ServiceError `notFound` */
async function isDefaultLanguage(tx: Transaction, pageId: PageId, language: string): Promise<boolean> {
  const [page] = await tx<{ default_language: string; languages: string[] }[]>`
    select default_language, languages from pages where id = ${pageId}`;
  if (page?.languages.includes(language)) return language === page.default_language;
  throw new ServiceError('notFound', {
    message: `The page has no such language; it has ${page?.languages.join(', ')}.`,
  });
}

type CorrectedUpdate = { stored: StoredUpdate; body: string };

/** @throws ServiceError `invalidBody` for an update of another incident, and for one that is named twice. */
async function findUpdates(
  tx: Transaction,
  { id: incidentId }: IncidentRow,
  updates: NonNullable<IncidentTexts['updates']>,
): Promise<CorrectedUpdate[]> {
  const found: CorrectedUpdate[] = [];
  for (const [i, { id, body }] of updates.entries()) {
    // The schema of the route has checked the form.
    const stored = await loadUpdate(tx, incidentId, id.toLowerCase() as UpdateId);
    if (stored === undefined) throw invalid(`/updates/${i}/id must be the id of an update of the incident.`);
    if (found.some((other) => other.stored.id === stored.id))
      throw invalid(`/updates/${i}/id must not be the id of an update before it.`);
    found.push({ stored, body });
  }
  return found;
}

type Target = Audit & {
  pageId: PageId;
  incident: IncidentRow;
  language: string;
  texts: IncidentTexts;
  updates: readonly CorrectedUpdate[];
};

async function correctOriginals(tx: Transaction, target: Target): Promise<boolean> {
  const { pageId, incident, texts, updates, ...audit } = target;
  const { title = incident.title, summary = incident.summary } = texts;
  // The services are the same on both sides, so their number does not matter.
  const head = { ...incident, services: 0 };
  await checkRoomForChange(tx, pageId, { before: head, after: { ...head, title, summary } });
  const after = await rewriteHead(tx, { pageId, before: incident, title, summary, ...audit });
  let changed = after !== incident;
  for (const { stored, body } of updates) {
    const correction = { pageId, incident: after, update: stored, fields: { body }, ...audit };
    changed = (await correctUpdateIn(tx, correction)) || changed;
  }
  return changed;
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidBody', { message });
}

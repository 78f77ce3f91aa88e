import { type IncidentType, incidentLimits, type UpdateStatus } from '../../contract/incidents.js';
import type {
  Author,
  IncidentState,
  ListedIncident as ListedJson,
  ManagedIncident as ManagedJson,
  ManagedUpdate,
  TextsOfLanguage,
} from '../../contract/manage/incidents/incidents.js';
import type { Clock } from '../../lib/clock.js';
import type { IncidentId, PageId, UpdateId } from '../../lib/ids.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';
import { type ActorType, personNameOf, toShownActor } from '../audit/index.js';
import { loadTranslated, type Translated } from '../translations/index.js';
import { type ServicesRow, services } from './affected-services.js';
import { type IncidentRow, maintenanceState } from './incident-row.js';

type Deps = { sql: Sql; clock: Clock };

export type IncidentFilter = {
  pageId: PageId;
  state?: IncidentState | undefined;
  type?: IncidentType | undefined;
  /** The first time of the start. */
  from?: Date | undefined;
  /** The end of the times of the start, which is not one of them. */
  to?: Date | undefined;
  /** Only those that lasted after this time. */
  lastingAfter?: Date | undefined;
};

/** An incident in the list for the people who run a page. */
export type ListedIncident = ListedJson & { id: IncidentId };

/** An incident as the people who run a page see it, without the fields of other nouns. */
export type ManagedIncident = Omit<ManagedJson, 'notifications' | 'hasPostmortem'>;

type HeadRow = Omit<IncidentRow, 'announced_state' | 'summary' | 'revision'> &
  ServicesRow & {
    published_at: Date;
    author_type: ActorType | null;
    author_id: string | null;
    author_name: string | null;
    author_person_name: string | null;
  };

/**
 * Lists at most `limit` incidents and maintenance of a page, latest start first, behind the one that began at `after`,
 * whose first part is in milliseconds since the epoch.
 */
export async function listManagedIncidents(
  { sql, clock }: Deps,
  filter: IncidentFilter & { limit: number; after?: readonly [number, string] | undefined },
): Promise<ListedIncident[]> {
  const now = clock.now();
  const rows = await sql<(HeadRow & { update_count: number })[]>`
    select ${headColumns(sql)},
      (select count(*)::int from incident_updates u where u.incident_id = i.id) as update_count
    from (
      select * from incidents where ${conditionOf(sql, filter, now)}
      order by started_at desc, id desc limit ${filter.limit}
    ) i order by i.started_at desc, i.id desc`;
  return rows.map(({ update_count: updateCount, ...row }) => ({ ...toHead(row, now), updateCount }));
}

/** Each list has an index in its order: a condition with a parameter that may be null would read every incident. */
function conditionOf(
  sql: Sql,
  filter: IncidentFilter & { after?: readonly [number, string] | undefined },
  now: number,
): Fragment {
  const { pageId, state, type, from, to, lastingAfter, after } = filter;
  const states: Record<IncidentState, Fragment> = {
    open: sql`and resolved_at is null and not (type = 'maintenance' and started_at > ${new Date(now)})`,
    resolved: sql`and resolved_at is not null`,
    scheduled: sql`and resolved_at is null and type = 'maintenance' and started_at > ${new Date(now)}`,
  };
  return sql`
    page_id = ${pageId} ${state === undefined ? sql`` : states[state]}
    ${type === undefined ? sql`` : sql`and type = ${type}`}
    ${from === undefined ? sql`` : sql`and started_at >= ${from}`}
    ${to === undefined ? sql`` : sql`and started_at < ${to}`}
    ${lastingAfter === undefined ? sql`` : sql`and coalesce(resolved_at > greatest(started_at, ${lastingAfter}), true)`}
    ${after === undefined ? sql`` : sql`and (started_at, id) < (${new Date(after[0])}, ${after[1]})`}`;
}

function headColumns(sql: Sql): Fragment {
  return sql`
    i.id, i.type, i.title, i.started_at, i.resolved_at, i.scheduled_end_at, i.published_at,
    i.author_type, i.author_id, i.author_name,
    ${personNameOf(sql, sql`i.author_type = 'user'`, sql`i.author_id`)} as author_person_name, ${services(sql)}`;
}

function toHead(row: HeadRow, now: number) {
  return {
    id: row.id,
    type: row.type,
    state: stateOf(row, now),
    title: row.title,
    monitorSlugs: row.services,
    impact: row.impact,
    serviceStates: row.service_states ?? {},
    startedAt: row.started_at.toISOString(),
    resolvedAt: row.resolved_at?.toISOString() ?? null,
    scheduledEndAt: row.scheduled_end_at?.toISOString() ?? null,
    maintenanceState: maintenanceState(row, now),
    publishedAt: row.published_at.toISOString(),
    author: toAuthor(row),
  };
}

function stateOf(
  { type, started_at: startedAt, resolved_at: resolvedAt }: HeadRow,
  now: number,
): IncidentState {
  if (resolvedAt !== null) return 'resolved';
  return type === 'maintenance' && startedAt.getTime() > now ? 'scheduled' : 'open';
}

type AuthorColumns = Pick<HeadRow, 'author_type' | 'author_id' | 'author_name' | 'author_person_name'>;

function toAuthor({ author_type: type, author_id: id, author_name: name, ...row }: AuthorColumns): Author {
  if (type === null) return null;
  return toShownActor({ type, id: id ?? '', name: name ?? '', personName: row.author_person_name });
}

function updateAuthorName(sql: Sql): Fragment {
  return personNameOf(sql, sql`u.author_type = 'user'`, sql`u.author_id`);
}

type UpdateRow = AuthorColumns & {
  id: string;
  status: UpdateStatus;
  body: string;
  /** A text as part of JSON. */
  created_at: string | Date;
  corrected_at: string | Date | null;
};

type WholeRow = HeadRow & {
  summary: string;
  revision: number;
  default_language: string;
  languages: string[];
  updates: UpdateRow[];
};

/**
 * Loads an incident with its timeline and its texts: in all languages of the page when they are not too long for that,
 * otherwise in its default language and in `language`. Returns `undefined` when the page has no such incident.
 */
export async function loadManagedIncident(
  { sql, clock }: Deps,
  { pageId, incidentId, language }: { pageId: PageId; incidentId: IncidentId; language?: string | undefined },
): Promise<ManagedIncident | undefined> {
  // One statement reads an incident and its timeline, so that both show the same moment.
  const [row] = await sql<WholeRow[]>`
    select ${headColumns(sql)}, i.summary, i.revision, p.default_language, p.languages,
      coalesce((select json_agg(json_build_object(
          'id', u.id, 'status', u.status, 'body', u.body, 'created_at', u.created_at,
          'corrected_at', u.corrected_at, 'author_type', u.author_type, 'author_id', u.author_id,
          'author_name', u.author_name, 'author_person_name', ${updateAuthorName(sql)}) order by u.place)
        from incident_updates u where u.incident_id = i.id), '[]') as updates
    from incidents i join pages p on p.id = i.page_id
    where i.page_id = ${pageId} and i.id = ${incidentId}`;
  if (row === undefined) return undefined;
  const texts = [row.title, row.summary, ...row.updates.map(({ body }) => body)];
  const bytes = texts.reduce((all, text) => all + Buffer.byteLength(text), 0);
  const fits = bytes * row.languages.length <= incidentLimits.ledgerTextBytesInAll;
  const others = row.languages.filter(
    (one) => one !== row.default_language && (language === undefined ? fits : one === language),
  );
  const translated = await loadTranslated(sql, pageId, texts, others);
  return {
    ...toHead(row, clock.now()),
    summary: row.summary,
    revision: row.revision,
    updates: row.updates.map(toUpdate),
    texts: {
      [row.default_language]: originalsOf(row),
      ...Object.fromEntries(others.map((one) => [one, translationsOf(row, one, translated)])),
    },
  };
}

/** Loads an update of an incident. Returns `undefined` when the page has no such incident with such an update. */
export async function loadManagedUpdate(
  { sql }: { sql: Sql },
  { pageId, incidentId, updateId }: { pageId: PageId; incidentId: IncidentId; updateId: UpdateId },
): Promise<ManagedUpdate | undefined> {
  const [row] = await sql<UpdateRow[]>`
    select u.id, u.status, u.body, u.created_at, u.corrected_at, u.author_type, u.author_id, u.author_name,
      ${updateAuthorName(sql)} as author_person_name
    from incident_updates u where u.id = ${updateId} and u.incident_id = ${incidentId} and u.page_id = ${pageId}`;
  return row && toUpdate(row);
}

function toUpdate(row: UpdateRow): ManagedUpdate {
  const { id, status, body, created_at: createdAt, corrected_at: correctedAt } = row;
  return {
    ...{ id, status, body, author: toAuthor(row) },
    createdAt: new Date(createdAt).toISOString(),
    correctedAt: correctedAt === null ? null : new Date(correctedAt).toISOString(),
  };
}

function originalsOf({ title, summary, updates }: WholeRow): TextsOfLanguage {
  return {
    title: { text: title, translated: null },
    summary: { text: summary, translated: null },
    updates: updates.map(({ id, body }) => ({ id, body, translated: null })),
  };
}

function translationsOf(
  { title, summary, updates }: WholeRow,
  language: string,
  translated: ReadonlyMap<string, Readonly<Record<string, Translated>>>,
): TextsOfLanguage {
  const textOf = (source: string) => {
    const found = translated.get(source)?.[language];
    if (found === undefined) return null;
    return { text: found.text, translated: found.byPerson ? ('person' as const) : ('machine' as const) };
  };
  return {
    title: textOf(title),
    summary: textOf(summary),
    updates: updates.flatMap(({ id, body }) => {
      const found = textOf(body);
      return found === null ? [] : [{ id, body: found.text, translated: found.translated }];
    }),
  };
}

import type { UpdateStatus } from '../../contract/incidents.js';
import type { ShownIncident, TextRoom } from '../../contract/public/status-page.js';
import type { IncidentId, PageId, UpdateId } from '../../lib/ids.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';
import { loadTranslations } from '../translations/index.js';
import { publicServices, type ServicesRow } from './affected-services.js';
import { type IncidentRow, toLedgerHead } from './incident-row.js';

type ShownQuery = {
  pageId: PageId;
  /** Selects the incidents `i`; it bounds their number. */
  condition: Fragment;
  /** One of the languages of the page. */
  language: string;
  room: TextRoom;
  /** Milliseconds since the epoch. */
  now: number;
};

type UpdateRow = { id: UpdateId; status: UpdateStatus; created_at: string; bytes: number };

type ShownRow = Omit<IncidentRow, 'announced_state' | 'revision' | 'summary'> &
  ServicesRow & {
    published_at: Date;
    default_language: string;
    summary_bytes: number;
    update_count: number;
    /** Oldest first. */
    updates: UpdateRow[];
  };

type TextId = IncidentId | UpdateId;

type TextRow = { id: TextId; text: string; is_cut: boolean; translation: string | null };

type Texts = Record<string, string>;

/**
 * Loads incidents for a view, newest first, with the texts that it has room for: open incidents first, then
 * the newest. PostgreSQL knows the size of a text without reading it, so texts that are not shown are never read.
 */
export async function loadShown(sql: Sql, query: ShownQuery): Promise<ShownIncident[]> {
  const { pageId, condition, room } = query;
  const rows = await sql<ShownRow[]>`
    select i.id, i.type, i.title, i.started_at, i.resolved_at, i.scheduled_end_at, i.published_at, p.default_language,
      ${publicServices(sql)},
      octet_length(i.summary) as summary_bytes,
      (select count(*)::int from incident_updates u where u.incident_id = i.id) as update_count,
      coalesce((select json_agg(json_build_object(
          'id', u.id, 'status', u.status, 'created_at', u.created_at, 'bytes', octet_length(u.body)) order by u.place)
        from (select * from incident_updates where incident_id = i.id order by place desc limit ${room.updates}) u),
        '[]') as updates
    from incidents i join pages p on p.id = i.page_id
    where i.page_id = ${pageId} and ${condition}
    order by i.started_at desc, i.id desc`;
  const titles = rows.map(({ title }) => title);
  const [translations, texts] = await Promise.all([
    loadTranslations(sql, pageId, titles),
    loadTexts(sql, query, chooseTexts(rows, room)),
  ]);
  return rows.map((row) => toShown(row, { translations, texts, now: query.now }));
}

/** Chooses the incidents whose summaries, and the updates whose bodies, there is room for. */
function chooseTexts(rows: readonly ShownRow[], { textChars, textBytes }: TextRoom): TextId[] {
  const open = rows.filter(({ resolved_at }) => resolved_at === null);
  const others = rows.filter(({ resolved_at }) => resolved_at !== null);
  let left = textBytes;
  return [...open, ...others].flatMap(({ id, summary_bytes: bytes, updates }): TextId[] => {
    const parts = [...updates.toReversed(), { id, bytes }];
    return parts.flatMap((part) => {
      // A character takes up to four bytes.
      left -= Math.min(part.bytes, 4 * textChars);
      return left >= 0 ? [part.id] : [];
    });
  });
}

type LoadedTexts = { language: string; byId: ReadonlyMap<TextId, TextRow> };

async function loadTexts(
  sql: Sql,
  { pageId, language, room }: ShownQuery,
  ids: readonly TextId[],
): Promise<LoadedTexts> {
  const chars = room.textChars;
  const rows = await sql<TextRow[]>`
    with source (id, text) as (
      select id, summary from incidents where page_id = ${pageId} and id = any(${[...ids]}::uuid[])
      union all
      select id, body from incident_updates where page_id = ${pageId} and id = any(${[...ids]}::uuid[])
    )
    select s.id, left(s.text, ${chars}::int) as text, left(t.text, ${chars}::int) as translation,
      greatest(char_length(s.text), char_length(t.text)) > ${chars}::int as is_cut
    from source s join pages p on p.id = ${pageId}
      left join translations t on t.page_id = p.id and t.source_hash = sha256(convert_to(s.text, 'UTF8'))
        and t.source_language = p.default_language and t.language = ${language}`;
  return { language, byId: new Map(rows.map((row) => [row.id, row])) };
}

type Loaded = { translations: ReadonlyMap<string, Texts>; texts: LoadedTexts; now: number };

function toShown(row: ShownRow, { translations, texts, now }: Loaded): ShownIncident {
  const textOf = (id: TextId): Texts | null => {
    const found = texts.byId.get(id);
    if (found === undefined) return null;
    const clip = (text: string) => (found.is_cut ? clipSource(text) : text);
    return {
      [row.default_language]: clip(found.text),
      ...(found.translation !== null && { [texts.language]: clip(found.translation) }),
    };
  };
  const { updates, update_count: updateCount } = row;
  return {
    ...toLedgerHead(row, now),
    title: { [row.default_language]: row.title, ...translations.get(row.title) },
    summary: textOf(row.id),
    updates: updates.map(({ id, status, created_at }) => ({
      ...{ id, status, body: textOf(id) },
      createdAt: new Date(created_at).toISOString(),
    })),
    ...(updateCount > updates.length && { updateCount }),
  };
}

/** Ends a text that was cut off with an ellipsis: after a paragraph, a line or a word in its second half. */
function clipSource(text: string): string {
  const half = text.length / 2;
  for (const end of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(end);
    if (at > half) return `${text.slice(0, at)}${end}…`;
  }
  return `${text}…`;
}

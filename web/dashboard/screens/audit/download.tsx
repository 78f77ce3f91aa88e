import { useState } from 'preact/hooks';
import type { AuditEntry } from '../../../../contract/manage/audit.js';
import { useFormat } from '../../format.js';
import { Icon } from '../../kit/icons.js';
import { showNotice } from '../../kit/notice.js';
import { saveFile } from '../../kit/save-file.js';
import type { Column } from '../../kit/table/column.js';
import { toCsv } from '../../kit/table/to-csv.js';
import { fetchJson } from '../../reads/fetch-json.js';
import type { ListAnswer } from '../../reads/use-list.js';
import { useSend } from '../../reads/use-send.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { type AuditTexts, auditTexts } from './texts.js';

/** More would fill the memory of a browser. */
const rowsMax = 20_000;

/** Saves all parts of the log at a path as one file. */
export function Download({ path }: { path: string }) {
  const texts = useTexts(auditTexts);
  const { slug } = usePage();
  const { count } = useFormat();
  const [rows, setRows] = useState(0);
  const { run, isSending } = useSend(async () => {
    setRows(0);
    try {
      const { entries, isCut } = await readAll(path, setRows);
      saveFile(`${slug}-audit.csv`, toCsv(entries, columnsOf(texts)), 'text/csv;charset=utf-8');
      if (isCut) showNotice(texts.cut({ count: count(rowsMax) }));
    } catch (error) {
      showNotice(texts.notDownloaded);
      throw error;
    }
  });
  return (
    <>
      <button type="button" class="button small" aria-disabled={isSending} onClick={run}>
        <Icon name="download" />
        {texts.download}
      </button>
      <span class="note" role="status">
        {isSending && texts.downloading({ count: count(rows) })}
      </span>
    </>
  );
}

async function readAll(path: string, onRows: (count: number) => void) {
  const entries: AuditEntry[] = [];
  let cursor: string | null = null;
  do {
    const url = new URL(path, location.href);
    url.searchParams.set('limit', '200');
    if (cursor !== null) url.searchParams.set('cursor', cursor);
    const answer = await fetchJson<ListAnswer<AuditEntry>>(url.pathname + url.search);
    if (answer === 'unchanged') break;
    entries.push(...answer.body.items);
    cursor = answer.body.nextCursor;
    onRows(entries.length);
  } while (cursor !== null && entries.length < rowsMax);
  return { entries, isCut: cursor !== null };
}

function columnsOf(texts: AuditTexts): Column<AuditEntry>[] {
  const column = (key: string, title: string, value: (entry: AuditEntry) => string) => ({
    key,
    title,
    value,
  });
  const json = (fields: AuditEntry['before']) => (fields === null ? '' : JSON.stringify(fields));
  return [
    column('at', texts.columns.at, ({ at }) => at),
    column('actorType', texts.columns.actorType, ({ actor }) => actor.type),
    column('actorName', texts.columns.actorName, ({ actor }) => actor.personName ?? actor.name),
    column('actor', texts.actor, ({ actor }) => actor.name),
    column('action', texts.action, ({ action }) => action),
    column('targetType', texts.columns.targetType, ({ target }) => target.type),
    column('target', texts.target, ({ target }) => target.name),
    column('id', texts.id, ({ target }) => target.id),
    column('before', texts.before, ({ before }) => json(before)),
    column('after', texts.after, ({ after }) => json(after)),
    column('address', texts.address, ({ address }) => address ?? ''),
  ];
}

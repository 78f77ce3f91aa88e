import { useFormat } from '../../format.js';
import { Icon } from '../../kit/icons.js';
import { useTexts } from '../../texts.js';
import type { Ran } from './history.js';
import { sqlTexts } from './texts.js';
import type { QueryHistory } from './use-history.js';

type HistoryListProps = {
  history: QueryHistory;
  /** Brings a statement into the editor, where Undo reverts it. */
  onStatement(sql: string): void;
};

/** The statements that the person has run; each can be brought back, or removed. */
export function HistoryList({ history: { items, remove, clear }, onStatement }: HistoryListProps) {
  const texts = useTexts(sqlTexts);
  if (items.length === 0) return <p class="note">{texts.noHistory}</p>;
  return (
    <>
      <ul class="sql-history">
        {items.map((ran) => (
          <RanEntry
            key={ran.sql}
            ran={ran}
            onChoose={() => onStatement(ran.sql)}
            onRemove={() => remove(ran.sql)}
          />
        ))}
      </ul>
      <button type="button" class="button small" onClick={clear}>
        {texts.clearHistory}
      </button>
    </>
  );
}

type RanEntryProps = { ran: Ran; onChoose(): void; onRemove(): void };

function RanEntry({ ran: { sql, at, ms, rows }, onChoose, onRemove }: RanEntryProps) {
  const texts = useTexts(sqlTexts);
  const format = useFormat();
  const name = nameOf(sql);
  const counted = texts.rows({ count: rows, written: format.count(rows) });
  return (
    <li>
      <button type="button" class="sql-entry" title={sql} onClick={onChoose}>
        <code>{name}</code>
        <span class="note">
          {[format.moment(at), counted, ...(ms === null ? [] : [format.ms(Math.round(ms))])].join(' · ')}
        </span>
      </button>
      <button
        type="button"
        class="icon-button"
        title={texts.removeRan}
        aria-label={`${texts.removeRan}: ${name}`}
        onClick={onRemove}
      >
        <Icon name="trash" />
      </button>
    </li>
  );
}

const nameCharsMax = 120;

/** The start of a statement in one line. */
function nameOf(sql: string): string {
  return sql
    .slice(0, 4 * nameCharsMax)
    .replace(/\s+/g, ' ')
    .slice(0, nameCharsMax);
}

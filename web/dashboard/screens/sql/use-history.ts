import { useEffect, useState } from 'preact/hooks';
import { keep, personalKey, readKept } from '../../kit/kept.js';
import { useSession } from '../../session.js';
import { addRan, type Ran, readHistory, writeHistory } from './history.js';
import type { RunState } from './use-run.js';

/** The statements that the person has run on the page in this browser, the newest first. */
export type QueryHistory = {
  items: readonly Ran[];
  remove(sql: string): void;
  clear(): void;
};

/** Keeps each statement that has a result. */
export function useHistory(slug: string, state: RunState): QueryHistory {
  const key = personalKey(useSession().me.caller.id, `sql-history:${slug}`);
  const [items, setItems] = useState(() => readHistory(readKept(key)));
  // Reads again before each change: another tab may have run something meanwhile.
  const change = (next: (before: readonly Ran[]) => readonly Ran[]): void => {
    const after = next(readHistory(readKept(key)));
    keep(key, writeHistory(after));
    setItems(after);
  };
  useEffect(() => {
    if (state.kind !== 'done') return;
    const { statement, result, at, tookMs = null } = state;
    change((before) => addRan(before, { sql: statement.sql, at, ms: tookMs, rows: result.rows }));
  }, [state]);
  return {
    items,
    remove: (sql) => change((before) => before.filter((one) => one.sql !== sql)),
    clear: () => change(() => []),
  };
}

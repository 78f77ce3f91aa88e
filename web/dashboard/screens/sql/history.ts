/** A statement that ran. `at` is when its result came, in milliseconds; `ms` is what ClickHouse took, where that is known. */
export type Ran = { sql: string; at: number; ms: number | null; rows: number };

/** A browser keeps 5 MB for all pages of the service, and a statement has up to 64 kB. */
export const historyLimits = { statements: 100, chars: 300_000 } as const;

/** Stands in what is kept: another version of the dashboard reads nothing of it. */
const formatVersion = 1;

/** Returns a history with one more statement, the newest first. The same statement stands in it once. */
export function addRan(history: readonly Ran[], ran: Ran): readonly Ran[] {
  const sql = ran.sql.trim();
  const all = [{ ...ran, sql }, ...history.filter((one) => one.sql !== sql)];
  let chars = 0;
  return all.slice(0, historyLimits.statements).filter((one) => {
    chars += one.sql.length;
    return chars <= historyLimits.chars;
  });
}

/** Reads what writeHistory() has written; nothing of any other text. */
export function readHistory(text: string | undefined): readonly Ran[] {
  try {
    const kept: unknown = JSON.parse(text ?? 'null');
    if (typeof kept !== 'object' || kept === null || !('version' in kept) || !('ran' in kept)) return [];
    if (kept.version !== formatVersion || !Array.isArray(kept.ran)) return [];
    return kept.ran.flatMap(toRan).slice(0, historyLimits.statements);
  } catch {
    return [];
  }
}

/** Returns the text that a browser keeps; `undefined` for nothing to keep. */
export function writeHistory(history: readonly Ran[]): string | undefined {
  return history.length === 0 ? undefined : JSON.stringify({ version: formatVersion, ran: history });
}

/** A list of the statement, or of none where something else stands in its place. */
function toRan(one: unknown): Ran[] {
  if (typeof one !== 'object' || one === null) return [];
  if (!('sql' in one) || !('at' in one) || !('ms' in one) || !('rows' in one)) return [];
  const { sql, at, ms, rows } = one;
  if (typeof sql !== 'string' || typeof at !== 'number' || typeof rows !== 'number') return [];
  return ms === null || typeof ms === 'number' ? [{ sql, at, ms, rows }] : [];
}

import Type from 'typebox';
import type { RequestsSli } from '../../contract/manage/objectives.js';
import type { PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';
import { loadKeptSince } from '../figures/kept-figures.js';
import { type Level, type Period, splitPeriod, within } from '../figures/periods.js';
import { type Asked, type Kind, kindsOf, levelsOfKind, rowsOfAsks, slicesOf, withAsks } from './asks.js';
import { countsOfRow, type GoodAndTotal } from './sli.js';

const sums = Type.Array(columns.count);
const askRow = rowType(Row({ ask: columns.count, totals: sums, goods: sums }));

/** Loads what loadGoodAndTotals() does for one objective. */
export async function loadGoodAndTotal(
  reader: EventReader,
  pageId: PageId,
  sli: RequestsSli,
  periods: readonly Period[],
): Promise<GoodAndTotal[]> {
  const [counts = []] = await loadGoodAndTotals(reader, [{ pageId, sli }], periods);
  return counts;
}

/**
 * Loads the good and all requests of many objectives, of one page or many, over the same periods, in their order. The periods
 * begin and end with whole minutes, or with longer steps where minutes are gone; they may overlap. All periods are sums of one
 * read, which goes through hours, and minutes at their ends. Most of its rows share granules with those minutes:
 * loadEndingNow() keeps them from look to look.
 *
 * @throws as loadEventRows() does.
 */
export async function loadGoodAndTotals(
  reader: EventReader,
  asked: readonly Asked[],
  periods: readonly Period[],
): Promise<GoodAndTotal[][]> {
  const found: GoodAndTotal[][] = asked.map(() => periods.map(() => ({ good: 0, total: 0 })));
  const since = await loadKeptSince(reader);
  for (const kind of kindsOf(asked)) {
    const { days, hours, minutes } = levelsOfKind(kind, since);
    const selects = selectsOf([...days, hours, minutes], periods, kind);
    if (selects.length === 0) continue;
    for (const slice of slicesOf(kind)) {
      const rows = await loadEventRows(reader, askRow, queryOf(selects, slice));
      for (const { ask, totals, goods } of rows) {
        found[ask] = periods.map((_, i) => ({ good: goods[i] ?? 0, total: totals[i] ?? 0 }));
      }
    }
  }
  return found;
}

/** One table and the parts of each period that are read from it. */
function selectsOf(levels: readonly Level[], periods: readonly Period[], kind: Kind): string[] {
  const parts = periods.map((period) => splitPeriod(period, levels, dayMs));
  return levels.flatMap((level) => {
    const conditions = parts.map((of) => {
      const own = of.find((part) => part.level.table === level.table);
      return own === undefined ? 'false' : within(level.time, own.periods);
    });
    if (conditions.every((condition) => condition === 'false')) return [];
    const { good, total } = countsOfRow(level, kind.isTimed ? 'ask_key' : null);
    const sumsOf = (expression: string) =>
      `[${conditions.map((one) => (one === 'false' ? 'toUInt64(0)' : `sumIf(${expression}, ${one})`)).join(', ')}]`;
    const times = [...new Set(conditions)].filter((condition) => condition !== 'false');
    return `SELECT ask, ${sumsOf(total)} AS totals, ${sumsOf(good)} AS goods
      FROM ${rowsOfAsks(level, kind)} AND (${times.join(' OR ')}) GROUP BY ask`;
  });
}

function queryOf(selects: readonly string[], asks: readonly string[]) {
  return {
    query: `${withAsks}
      SELECT ask, sumForEach(u.totals) AS totals, sumForEach(u.goods) AS goods
      FROM (${selects.join(' UNION ALL ')}) AS u GROUP BY ask`,
    parameters: { asks: `[${asks.join(',')}]` },
    rowsMax: asks.length,
  };
}

import Type from 'typebox';
import type { RequestsSli } from '../../contract/manage/objectives.js';
import type { PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';
import { sliceNames } from '../../sql/slice-names.js';
import { loadKeptSince } from '../figures/kept-figures.js';
import { statusLevels } from '../figures/levels.js';
import { type Level, type Period, splitPeriod, within } from '../figures/periods.js';
import { needsEndpoints } from '../figures/question.js';
import { countsOfRow, type GoodAndTotal, questionOf, type SliQuestion, toQuestion } from './sli.js';

/** An objective's requests on a page. */
export type Asked = { pageId: PageId; sli: RequestsSli };

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
 * read, which goes through hours, and minutes at their ends.
 *
 * The seven burn windows of an objective on each of 200 pages with three services took 4.4 million rows and 0.4 to 0.6 s of a
 * core (`bench/objectives/looks.ts`), so a thousand pages take 2 to 3 s. Most of the rows share granules with the minutes in which
 * the windows of one and three days begin. Periods are whole minutes: a caller that looks more often asks once a minute.
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
  for (const { isTimed, ofEndpoints, asks } of kindsOf(asked)) {
    const { days, hours, minutes } = statusLevels(
      { filters: ofEndpoints ? { endpoint: '' } : {}, by: null, search: '' },
      since,
    );
    const selects = selectsOf([...days, hours, minutes], periods, isTimed);
    if (selects.length === 0) continue;
    for (const slice of sliceNames(asks.map((ask) => JSON.stringify(ask)))) {
      const rows = await loadEventRows(reader, askRow, queryOf(selects, slice));
      for (const { ask, totals, goods } of rows) {
        found[ask] = periods.map((_, i) => ({ good: goods[i] ?? 0, total: totals[i] ?? 0 }));
      }
    }
  }
  return found;
}

/** The place of an objective, its page, the names of services, the id of a reporter, endpoint, method, and the bucket. */
type Ask = [number, PageId, string[], string, string, string, number];
type Kind = { isTimed: boolean; ofEndpoints: boolean; asks: Ask[] };

/** Objectives by what is read for them: histograms are most of the bytes of a row, and endpoints most of the rows. */
function kindsOf(asked: readonly Asked[]): Kind[] {
  const kinds = new Map<string, Kind>();
  asked.forEach(({ pageId, sli }, place) => {
    const question = toQuestion(sli);
    const [isTimed, ofEndpoints] = [question.key !== null, needsEndpoints(questionOf(question))];
    const name = `${isTimed} ${ofEndpoints}`;
    const kind = kinds.get(name) ?? { isTimed, ofEndpoints, asks: [] };
    kinds.set(name, kind);
    kind.asks.push(toAsk(place, pageId, question));
  });
  return [...kinds.values()];
}

/** Empty texts stand for no condition: no service, endpoint or method is empty. */
function toAsk(place: number, pageId: PageId, { filters, key }: SliQuestion): Ask {
  const { service, endpoint = '', method = '' } = filters;
  return [place, pageId, service?.services ?? [], service?.reporter ?? '', endpoint, method, key ?? 0];
}

/** One table and the parts of each period that are read from it. */
function selectsOf(levels: readonly Level[], periods: readonly Period[], isTimed: boolean): string[] {
  const parts = periods.map((period) => splitPeriod(period, levels, dayMs));
  return levels.flatMap((level) => {
    const conditions = parts.map((of) => {
      const own = of.find((part) => part.level.table === level.table);
      return own === undefined ? 'false' : within(level.time, own.periods);
    });
    if (conditions.every((condition) => condition === 'false')) return [];
    const { good, total } = countsOfRow(level, isTimed ? 'ask_key' : null);
    const sumsOf = (expression: string) =>
      `[${conditions.map((one) => (one === 'false' ? 'toUInt64(0)' : `sumIf(${expression}, ${one})`)).join(', ')}]`;
    const named = level.table.startsWith('service_')
      ? []
      : ["(ask_endpoint = '' OR endpoint = ask_endpoint)", "(ask_method = '' OR method = ask_method)"];
    const where = [
      'page_id IN (SELECT ask_page FROM asks)',
      `(${[...new Set(conditions)].filter((condition) => condition !== 'false').join(' OR ')})`,
      `(ask_reporter = '' OR kind = 'service' AND has(ask_services, service)
        OR kind = 'reporter' AND service = ask_reporter)`,
      ...named,
    ];
    return `SELECT ask, ${sumsOf(total)} AS totals, ${sumsOf(good)} AS goods
      FROM ${level.table} AS r INNER JOIN asks ON r.page_id = asks.ask_page
      WHERE ${where.join(' AND ')} GROUP BY ask`;
  });
}

/** Names are a parameter, because they are input. */
function queryOf(selects: readonly string[], asks: readonly string[]) {
  const type = 'Array(Tuple(UInt32, UUID, Array(String), String, String, String, UInt16))';
  return {
    query: `WITH asks AS (
        SELECT one.1 AS ask, one.2 AS ask_page, one.3 AS ask_services, one.4 AS ask_reporter, one.5 AS ask_endpoint,
          one.6 AS ask_method, one.7 AS ask_key
        FROM (SELECT arrayJoin(JSONExtract({asks:String}, '${type}')) AS one)
      )
      SELECT ask, sumForEach(u.totals) AS totals, sumForEach(u.goods) AS goods
      FROM (${selects.join(' UNION ALL ')}) AS u GROUP BY ask`,
    parameters: { asks: `[${asks.join(',')}]` },
    rowsMax: asks.length,
  };
}

import type { RequestsSli } from '../../contract/manage/objectives.js';
import type { PageId } from '../../lib/ids.js';
import { sliceNames } from '../../sql/slice-names.js';
import type { KeptSince } from '../figures/kept-figures.js';
import { statusLevels } from '../figures/levels.js';
import type { Level } from '../figures/periods.js';
import { needsEndpoints } from '../figures/question.js';
import { questionOf, type SliQuestion, toQuestion } from './sli.js';

/** An objective's requests on a page. */
export type Asked = { pageId: PageId; sli: RequestsSli };

/** The place of an objective, its page, the names of services, the id of a reporter, endpoint, method, and the bucket. */
type Ask = [number, PageId, string[], string, string, string, number];
/** Objectives that the same tables answer. */
export type Kind = {
  isTimed: boolean;
  ofEndpoints: boolean;
  /** Whether each objective names a service, and an endpoint where the kind has endpoints. The store then reads only those. */
  isNamed: boolean;
  asks: Ask[];
};

/** Objectives by what is read for them: histograms are most of the bytes of a row, and endpoints most of the rows. */
export function kindsOf(asked: readonly Asked[]): Kind[] {
  const kinds = new Map<string, Kind>();
  asked.forEach(({ pageId, sli }, place) => {
    const question = toQuestion(sli);
    const [isTimed, ofEndpoints] = [question.key !== null, needsEndpoints(questionOf(question))];
    const { service, endpoint } = question.filters;
    const isNamed = service !== undefined && (endpoint !== undefined || !ofEndpoints);
    const name = `${isTimed} ${ofEndpoints} ${isNamed}`;
    const kind = kinds.get(name) ?? { isTimed, ofEndpoints, isNamed, asks: [] };
    kinds.set(name, kind);
    kind.asks.push(toAsk(place, pageId, question));
  });
  return [...kinds.values()];
}

/** The tables of a kind: by days, hours and minutes. */
export function levelsOfKind({ ofEndpoints }: Kind, since: KeptSince): ReturnType<typeof statusLevels> {
  return statusLevels({ filters: ofEndpoints ? { endpoint: '' } : {}, by: null, search: '' }, since);
}

/** Empty texts stand for no condition: no service, endpoint or method is empty. */
function toAsk(place: number, pageId: PageId, { filters, key }: SliQuestion): Ask {
  const { service, endpoint = '', method = '' } = filters;
  return [place, pageId, service?.services ?? [], service?.reporter ?? '', endpoint, method, key ?? 0];
}

/** Returns what follows FROM: the rows of a table with the objectives that they count for. Names that nobody asks for are not read. */
export function rowsOfAsks(level: Level, { ofEndpoints, isNamed }: Kind): string {
  const conditions = [
    'page_id IN (SELECT ask_page FROM asks)',
    ...(isNamed
      ? ['service IN (SELECT arrayJoin(arrayPushBack(ask_services, ask_reporter)) FROM asks)']
      : []),
    ...(isNamed && ofEndpoints ? ['endpoint IN (SELECT ask_endpoint FROM asks)'] : []),
    `(ask_reporter = '' OR kind = 'service' AND has(ask_services, service)
      OR kind = 'reporter' AND service = ask_reporter)`,
    ...(ofEndpoints
      ? ["(ask_endpoint = '' OR endpoint = ask_endpoint)", "(ask_method = '' OR method = ask_method)"]
      : []),
  ];
  return `${level.table} AS r INNER JOIN asks ON r.page_id = asks.ask_page WHERE ${conditions.join(' AND ')}`;
}

/** Names are a parameter, because they are input: `asks` of `withAsks`. */
export function slicesOf({ asks }: Kind): string[][] {
  return sliceNames(asks.map((ask) => JSON.stringify(ask)));
}

/** The objectives of a slice, as a table. */
export const withAsks = `WITH asks AS (
    SELECT one.1 AS ask, one.2 AS ask_page, one.3 AS ask_services, one.4 AS ask_reporter, one.5 AS ask_endpoint,
      one.6 AS ask_method, one.7 AS ask_key
    FROM (SELECT arrayJoin(JSONExtract({asks:String},
      'Array(Tuple(UInt32, UUID, Array(String), String, String, String, UInt16))')) AS one)
  )`;

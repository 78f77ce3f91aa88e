import type { MaintenanceSeries } from '../../../../../contract/manage/incidents/maintenance-series.js';
import { recurrenceOf, weekdayOf } from './recurrence.js';
import type { MaintenanceTexts } from './texts.js';
import type { Dates } from './use-dates.js';

type Ruled = Pick<MaintenanceSeries, 'rule' | 'startsAt' | 'timeZone' | 'noticeDays'>;

/** How a series recurs, in words where it is one of the usual ways. */
export function sayRule(series: Ruled, texts: MaintenanceTexts, dates: Dates): string {
  const { repeat, end, count, lastDay } = recurrenceOf(series);
  const { index, nth } = weekdayOf(series.startsAt);
  const day = dates.weekday(index);
  const way = {
    never: series.rule,
    weekly: texts.weekly({ day }),
    fortnightly: texts.fortnightly({ day }),
    monthly: texts.monthly({ day, n: nth }),
    own: series.rule,
  }[repeat];
  const until =
    end === 'count'
      ? texts.inAll({ count: count ?? 0 })
      : end === 'date'
        ? texts.until({ day: lastDay })
        : undefined;
  return [way, series.startsAt.slice(11), ...(until === undefined ? [] : [until])].join(' · ');
}

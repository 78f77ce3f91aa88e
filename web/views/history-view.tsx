import type { ShownIncident } from '../../contract/public/status-page.js';
import { historyPath } from '../page-paths.js';
import { formatDay } from '../state/day-marks.js';
import { Day } from './elements.js';
import { renderFrame } from './frame.js';
import { dayId, MonthCalendar } from './month-calendar.js';
import { groupBy, PastIncident } from './past-incidents.js';
import { Subscribe } from './subscriptions/subscribe-form.js';
import type { ViewAssets } from './view-context.js';
import { openContext, type ViewContext } from './view-context.js';
import type { HistoryViewInput } from './view-inputs.js';

/** A page of the incidents of a month, as HTML. */
export function renderHistoryView(view: HistoryViewInput, assets: ViewAssets): string {
  const context = openContext(view, assets);
  const { texts, format, own } = context;
  const { month, page, pages } = view;
  const ofMonth = texts.historyOf({ month: format.month(month) });
  const title = page === 1 ? ofMonth : `${ofMonth} · ${texts.pages.current({ page, pages })}`;
  const byDay = groupBy(view.incidents, ({ startedAt }) => formatDay(Date.parse(startedAt)));
  return renderFrame({
    context,
    title,
    description: `${title} · ${view.brand.name}`,
    pathIn: (language) => historyPath(language, month, page),
    live: false,
    children: (
      <section class="history" aria-labelledby="history">
        <h1 id="history" {...own}>
          {texts.history}
        </h1>
        <Months context={context} view={view} />
        {pages === 1 && <MonthCalendar context={context} month={month} incidents={view.incidents} />}
        {view.incidents.length === 0 && (
          <p class="nothing" {...own}>
            {texts.historyEmpty}
          </p>
        )}
        {[...byDay].map(([day, entries]) => (
          <DayOfMonth key={day} context={context} view={view} day={day} entries={entries} />
        ))}
        {pages > 1 && <Pages context={context} view={view} />}
      </section>
    ),
    after: <Subscribe context={context} />,
  });
}

function Months({ context, view }: { context: ViewContext; view: HistoryViewInput }) {
  const { texts, format, own } = context;
  const { language, month, earlier, later } = view;
  return (
    <nav class="months" aria-label={texts.history} {...own}>
      {earlier !== undefined && (
        <a class="earlier" rel="prev" href={historyPath(language, earlier)}>
          <span class="visually-hidden">{texts.earlier}:</span> {format.month(earlier)}
        </a>
      )}
      <p aria-current="page">
        <time datetime={month}>{format.month(month)}</time>
      </p>
      {later !== undefined && (
        <a class="later" rel="next" href={historyPath(language, later)}>
          <span class="visually-hidden">{texts.later}:</span> {format.month(later)}
        </a>
      )}
    </nav>
  );
}

/** Links to the newer and older incidents of the month, below the ones on this page. */
function Pages({ context, view }: { context: ViewContext; view: HistoryViewInput }) {
  const { texts, own } = context;
  const { language, month, page, pages } = view;
  return (
    <nav class="months" aria-label={texts.pages.name} {...own}>
      {page < pages && (
        <a class="earlier" rel="next" href={historyPath(language, month, page + 1)}>
          {texts.pages.older}
        </a>
      )}
      <p aria-current="page">{texts.pages.current({ page, pages })}</p>
      {page > 1 && (
        <a class="later" rel="prev" href={historyPath(language, month, page - 1)}>
          {texts.pages.newer}
        </a>
      )}
    </nav>
  );
}

type DayProps = {
  context: ViewContext;
  view: HistoryViewInput;
  day: string;
  entries: readonly ShownIncident[];
};

function DayOfMonth({ context, view, day, entries }: DayProps) {
  return (
    <div class="day-group">
      <h2 id={dayId(day)}>
        <Day context={context} day={day} />
      </h2>
      {entries.map((entry) => (
        <PastIncident key={entry.id} context={context} entry={entry} names={view.serviceNames} level={3} />
      ))}
    </div>
  );
}

import type { LedgerEntry } from '../contract/incidents.js';
import type { HistoryPageView } from '../contract/status-page.js';
import { formatDay } from './day-marks.js';
import { groupBy } from './group-by.js';
import type { PageAssets } from './page-assets.js';
import { openContext, type PageContext } from './page-context.js';
import { renderFrame } from './page-frame.js';
import { historyPath } from './page-paths.js';
import { PastIncident } from './past-incidents.js';
import { Subscribe } from './subscribe-form.js';
import { Day } from './time.js';

/** The incidents of a month, as HTML. */
export function renderHistoryPage(view: HistoryPageView, assets: PageAssets): string {
  const page = openContext(view, assets);
  const { texts, format, own } = page;
  const title = texts.historyOf(format.month(view.month));
  const byDay = groupBy(view.incidents, ({ startedAt }) => formatDay(Date.parse(startedAt)));
  return renderFrame({
    page,
    title,
    description: `${title} · ${view.brand.name}`,
    pathIn: (language) => historyPath(language, view.month),
    live: false,
    children: (
      <section class="history" aria-labelledby="history">
        <h1 id="history" {...own}>
          {texts.history}
        </h1>
        <Months page={page} view={view} />
        {view.incidents.length === 0 && (
          <p class="nothing" {...own}>
            {texts.historyEmpty}
          </p>
        )}
        {[...byDay].map(([day, entries]) => (
          <DayOfMonth key={day} page={page} view={view} day={day} entries={entries} />
        ))}
      </section>
    ),
    after: <Subscribe page={page} />,
  });
}

function Months({ page, view }: { page: PageContext; view: HistoryPageView }) {
  const { texts, format, own } = page;
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

type DayProps = { page: PageContext; view: HistoryPageView; day: string; entries: readonly LedgerEntry[] };

function DayOfMonth({ page, view, day, entries }: DayProps) {
  return (
    <div class="day-group">
      <h2>
        <Day page={page} day={day} />
      </h2>
      {entries.map((entry) => (
        <PastIncident key={entry.id} page={page} entry={entry} names={view.serviceNames} level={3} />
      ))}
    </div>
  );
}

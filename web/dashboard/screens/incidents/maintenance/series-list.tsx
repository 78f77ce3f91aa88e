import type { MaintenanceSeries } from '../../../../../contract/manage/incidents/maintenance-series.js';
import { useAddress } from '../../../address/use-address.js';
import { Panel } from '../../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { DeleteSeries } from './delete-series.js';
import { sayRule } from './say-rule.js';
import { maintenanceTexts } from './texts.js';
import { useDates } from './use-dates.js';

type List = { items: MaintenanceSeries[] };

/** The series of maintenance of a page; each leads to where it is changed, and its occurrences are skipped. */
export function SeriesList({ slug }: { slug: string }) {
  const texts = useTexts(maintenanceTexts);
  const { choose } = useAddress();
  const read = useRead<List>(pagePath(slug, '/maintenance-series', { limit: '100' }));
  return (
    <Panel title={texts.series} note={texts.seriesWhy} flush>
      <ReadView
        read={read}
        skeleton={<Skeleton lines={3} />}
        isEmpty={({ items }) => items.length === 0}
        empty={
          <Empty title={texts.noSeries}>
            <p>{texts.noSeriesWhy}</p>
            <PermittedButton
              permission="incidents.write"
              onClick={() => choose({ new: 'maintenance', view: undefined, month: undefined })}
            >
              {texts.planFirst}
            </PermittedButton>
          </Empty>
        }
      >
        {({ items }) => <Rows slug={slug} items={items} read={read} />}
      </ReadView>
    </Panel>
  );
}

function Rows({
  slug,
  items,
  read,
}: {
  slug: string;
  items: readonly MaintenanceSeries[];
  read: Read<List>;
}) {
  return (
    <ul class="series-list">
      {items.map((series) => (
        <SeriesRow key={series.id} slug={slug} series={series} onDeleted={read.retry} />
      ))}
    </ul>
  );
}

type RowProps = { slug: string; series: MaintenanceSeries; onDeleted(): void };

function SeriesRow({ slug, series, onDeleted }: RowProps) {
  const texts = useTexts(maintenanceTexts);
  const dates = useDates(series.timeZone);
  const { choose } = useAddress();
  const next = series.occurrences.filter(({ isSkipped }) => !isSkipped).slice(0, 3);
  return (
    <li>
      <div class="series-text">
        <h3 dir="auto">{series.title}</h3>
        <p>
          {sayRule(series, texts, dates)} <span class="note">{series.timeZone}</span>
        </p>
        <p class="note">
          {next.length === 0
            ? texts.noDates
            : `${texts.nextDates}: ${next.map(({ startsAt }) => dates.moment(Date.parse(startsAt))).join(' · ')}`}
        </p>
      </div>
      <div class="series-actions">
        <button
          type="button"
          class="button small"
          aria-label={texts.editOf({ title: series.title })}
          onClick={() => choose({ series: series.id })}
        >
          {texts.edit}
        </button>
        <DeleteSeries slug={slug} series={series} onDeleted={onDeleted} />
      </div>
    </li>
  );
}

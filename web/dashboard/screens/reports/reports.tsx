import type { ManagedPage } from '../../../../contract/manage/pages.js';
import type { ReportEvery } from '../../../../contract/manage/reports.js';
import { reportPath } from '../../../account/manage-paths.js';
import { Icon } from '../../kit/icons.js';
import { Panel } from '../../kit/panel.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import { pagePath } from '../../reads/api-path.js';
import { useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { NoMailNote } from '../../shell/no-mail.js';
import { ReadOnlyNote } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { lastPeriod } from './last-period.js';
import { ReportSettingsPart } from './report-settings.js';
import { reportsTexts } from './texts.js';
import { useDates } from './use-dates.js';

/** The last reports of the page, and who gets them by email. */
export default function Reports() {
  const { slug, may } = usePage();
  const { screens } = useTexts(shellTexts);
  const texts = useTexts(reportsTexts);
  const read = useRead<ManagedPage>(pagePath(slug, ''));
  const mayWrite = may('notifications.write');
  return (
    <Screen title={screens.reports}>
      <ReadView read={read} skeleton={<Skeleton height={360} />}>
        {({ timeZone }) => (
          <div class="page-part">
            <Panel title={texts.newest} note={texts.newestWhy} flush>
              <ul class="report-list">
                <NewestReport every="week" timeZone={timeZone} />
                <NewestReport every="month" timeZone={timeZone} />
              </ul>
            </Panel>
            {mayWrite && <NoMailNote />}
            {mayWrite ? (
              <ReportSettingsPart timeZone={timeZone} />
            ) : (
              <ReadOnlyNote permission="notifications.write" />
            )}
          </div>
        )}
      </ReadView>
    </Screen>
  );
}

/** The newest report of a week or a month that is over, to read, to print, and as figures. */
function NewestReport({ every, timeZone }: { every: ReportEvery; timeZone: string }) {
  const { slug } = usePage();
  const texts = useTexts(reportsTexts);
  const dates = useDates();
  const days = lastPeriod(every, Date.now(), timeZone);
  const name = every === 'week' ? dates.days(days) : dates.month(days.first);
  return (
    <li>
      <span class="report-period">
        <strong>{texts.periods[every]}</strong>
        <span class="note">{name}</span>
      </span>
      <span class="report-actions">
        {/* Another document of the service, which the router of this one does not know. */}
        <a
          class="button small"
          href={reportPath(slug, every)}
          target="_blank"
          rel="noreferrer"
          aria-label={texts.openOf({ name })}
        >
          {texts.open}
          <Icon name="external" />
        </a>
        <a
          class="button small"
          href={pagePath(slug, `/reports/${every}`, { format: 'csv' })}
          download
          aria-label={texts.csvOf({ name })}
        >
          <Icon name="download" />
          CSV
        </a>
      </span>
    </li>
  );
}

import { useEffect } from 'preact/hooks';
import { Icon } from '../../kit/icons.js';
import { Screen } from '../../shell/screen.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { Attention } from './attention.js';
import { Checklist } from './checklist.js';
import { MonitorsPanel } from './monitors-panel.js';
import { ServicesPanel } from './services-panel.js';
import { ChangesPanel, DeliveryPanel, ReportersPanel } from './side-panels.js';
import { overviewTexts } from './texts.js';
import { Tiles } from './tiles.js';
import { type OverviewReads, useOverview } from './use-overview.js';

/** A page at a glance: what needs a look, its figures, and what is left to set up. */
export default function Overview() {
  const texts = useTexts(overviewTexts);
  const { screens } = useTexts(shellTexts);
  const reads = useOverview();
  const { overview, services, page } = reads;
  useFirstEvent(reads);
  const checklist = overview.data?.checklist;
  // Until there is something to count, the steps say what to do.
  const hasFigures = checklist?.event !== false || overview.data?.monitors.length !== 0;
  return (
    <Screen
      title={screens.overview}
      hasRange
      actions={
        page.data !== undefined && (
          <a class="button small" href={page.data.url} target="_blank" rel="noreferrer">
            <Icon name="external" />
            {texts.publicPage}
          </a>
        )
      }
    >
      {checklist !== undefined && <Checklist checklist={checklist} unread={overview.data?.unread ?? null} />}
      <Attention {...reads} />
      {hasFigures && <Tiles {...reads} />}
      <div class="split">
        <ServicesPanel read={services} />
        <MonitorsPanel read={overview} />
      </div>
      <div class="split overview-foot">
        <ChangesPanel read={overview} />
        <div class="overview-side">
          <ReportersPanel read={overview} />
          <DeliveryPanel read={overview} />
        </div>
      </div>
    </Screen>
  );
}

/** Reads the figures at once when the first event has arrived, rather than at their next turn. */
function useFirstEvent({ overview, totals, series, services }: OverviewReads): void {
  const hasEvent = overview.data?.checklist.event;
  useEffect(() => {
    if (hasEvent !== true || totals.data?.now.requests !== 0) return;
    for (const read of [totals, series, services]) read.retry();
  }, [hasEvent]);
}

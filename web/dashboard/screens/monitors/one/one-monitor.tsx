import { useMemo } from 'preact/hooks';
import type { ManagedMonitor } from '../../../../../contract/manage/monitors.js';
import { isProbed } from '../../../../../contract/monitors.js';
import { useAddress } from '../../../address/use-address.js';
import { EventsNote } from '../../../kit/chart/events-note.js';
import { ErrorNotice, Skeleton } from '../../../kit/states.js';
import { usePage } from '../../../session.js';
import { Screen } from '../../../shell/screen.js';
import { pathOfScreen } from '../../../shell/screens.js';
import { shellTexts } from '../../../shell/texts.js';
import { useTexts } from '../../../texts.js';
import { MonitorActions } from '../change/monitor-actions.js';
import { PhasesPanel, ResponsePanel } from './charts.js';
import { CheckNowButton, CheckOutcomePanel, useCheckNow } from './check-now.js';
import { Checks } from './checks.js';
import { Settings } from './settings.js';
import { Standing } from './standing.js';
import { useMonitor } from './use-monitor.js';

/** One monitor over the time range. */
export function OneMonitor({ slug }: { slug: string }) {
  const page = usePage();
  const { to } = useAddress();
  const { screens } = useTexts(shellTexts);
  const reads = useMonitor(slug);
  const check = useCheckNow(slug);
  const monitor = reads.monitor.data;
  const crumbs = useMemo(
    () => [{ title: screens.monitors, href: to(pathOfScreen(page.slug, 'monitors')) }],
    [screens, to, page.slug],
  );
  return (
    <Screen
      title={monitor?.name ?? slug}
      crumbs={crumbs}
      hasRange
      stepSeconds={reads.series.data?.step}
      actions={
        monitor !== undefined && (
          <>
            {mayCheck(monitor, page) && <CheckNowButton check={check} />}
            <MonitorActions monitor={monitor} read={reads.monitor} />
          </>
        )
      }
    >
      <CheckOutcomePanel check={check} />
      {monitor === undefined && reads.monitor.error !== undefined ? (
        <ErrorNotice error={reads.monitor.error} retry={reads.monitor.retry} />
      ) : (
        <Details slug={slug} reads={reads} />
      )}
    </Screen>
  );
}

function mayCheck(monitor: ManagedMonitor, page: Pick<ReturnType<typeof usePage>, 'may'>): boolean {
  return isProbed(monitor.type) && page.may('monitors.write');
}

function Details({ slug, reads }: { slug: string; reads: ReturnType<typeof useMonitor> }) {
  const monitor = reads.monitor.data;
  if (monitor === undefined) return <Skeleton height={120} />;
  const isMeasured = isProbed(monitor.type);
  if (monitor.type === 'manual') return <Settings monitor={monitor} newest={undefined} />;
  return (
    <>
      <Standing read={reads.monitor} monitor={monitor} series={reads.series} />
      {isMeasured && (
        <>
          <EventsNote {...reads.happenings} />
          <div class="split">
            <ResponsePanel read={reads.series} happenings={reads.happenings} />
            <PhasesPanel read={reads.phases} happenings={reads.happenings} />
          </div>
        </>
      )}
      <Checks monitor={slug} read={reads.checks} before={reads.before} isMeasured={isMeasured} />
      <Settings monitor={monitor} newest={reads.checks.data?.items[0]} />
    </>
  );
}

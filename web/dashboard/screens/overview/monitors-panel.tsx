import type { OverviewAnswer, OverviewMonitor } from '../../../../contract/manage/overview.js';
import { screenPath } from '../../../account/manage-paths.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Badge } from '../../kit/badge.js';
import { Panel } from '../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import { kitTexts } from '../../kit/texts.js';
import { UptimeStrip } from '../../kit/uptime-strip.js';
import type { Read } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { pathOfScreen } from '../../shell/screens.js';
import { useTexts } from '../../texts.js';
import { shownState, tones } from '../monitors/state.js';
import { stateTexts } from '../monitors/state-texts.js';
import { overviewTexts } from './texts.js';

const hourMs = 3_600_000;
const shownMax = 8;
/** With so many in the answer, there may be more. */
const listedMax = 200;

/** The monitors that are worst off, with their last day. */
export function MonitorsPanel({ read }: { read: Read<OverviewAnswer> }) {
  const texts = useTexts(overviewTexts);
  const { slug } = usePage();
  const { to } = useAddress();
  const format = useFormat();
  const count = read.data?.monitors.length ?? 0;
  return (
    <Panel
      title={texts.monitors}
      flush
      actions={
        <a href={to(pathOfScreen(slug, 'monitors'))}>
          {count > shownMax && count < listedMax
            ? texts.allMonitors({ count: format.count(count) })
            : texts.toMonitors}
        </a>
      }
    >
      <ReadView
        read={read}
        skeleton={<Skeleton height={200} />}
        isEmpty={({ monitors }) => monitors.length === 0}
        empty={<NoMonitor slug={slug} />}
      >
        {({ monitors }) => (
          <div class="glance">
            <p class="glance-row glance-head monitors" aria-hidden="true">
              <span>{texts.monitors}</span>
              <span />
              <span class="glance-spark" />
              <span>{texts.uptime}</span>
              <span class="minor">{texts.response}</span>
            </p>
            <ul>
              {monitors.slice(0, shownMax).map((monitor) => (
                <Monitor key={monitor.slug} monitor={monitor} />
              ))}
            </ul>
          </div>
        )}
      </ReadView>
    </Panel>
  );
}

function NoMonitor({ slug }: { slug: string }) {
  const texts = useTexts(overviewTexts);
  const { may } = usePage();
  return (
    <Empty title={texts.monitorsNone}>
      <p>{texts.monitorsNoneWhy}</p>
      {may('monitors.write') && (
        <a class="button" href={`${screenPath(slug, 'monitors')}?new=http`}>
          {texts.createMonitor}
        </a>
      )}
    </Empty>
  );
}

function Monitor({ monitor }: { monitor: OverviewMonitor }) {
  const texts = useTexts(overviewTexts);
  const { none } = useTexts(kitTexts);
  const { slug } = usePage();
  const { to } = useAddress();
  const format = useFormat();
  const words = useTexts(stateTexts);
  const { uptime24h, responseMs, bars } = monitor;
  const state = shownState(monitor);
  const thisHour = Math.floor(Date.now() / hourMs) * hourMs;
  return (
    <li class="glance-row monitors">
      <a href={to(pathOfScreen(slug, 'monitors'), { monitor: monitor.slug })} dir="auto">
        {monitor.name}
      </a>
      <Badge tone={tones[state]}>{words[state]}</Badge>
      <UptimeStrip
        uptimes={bars}
        uptime={uptime24h}
        titleAt={(i) => format.moment(thisHour - (bars.length - 1 - i) * hourMs)}
        runningFrom={bars.length - 1}
      />
      <span class="glance-figure">
        <span class="visually-hidden">{texts.uptime} </span>
        {uptime24h === null ? none : format.uptime(uptime24h)}
      </span>
      <span class="glance-figure minor">
        <span class="visually-hidden">{texts.response} </span>
        {responseMs === null ? none : format.ms(responseMs)}
      </span>
    </li>
  );
}

import type { DatabaseHealthAnswer } from '../../../../contract/database-health.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { EventsNote } from '../../kit/chart/events-note.js';
import { Icon } from '../../kit/icons.js';
import { NotKept } from '../../kit/not-kept.js';
import { Skeleton } from '../../kit/states.js';
import { type Crumb, Screen } from '../../shell/screen.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { EnvironmentChoice } from './environment-choice.js';
import { Glance } from './glance.js';
import { NothingYet, SwitchedOff } from './nothing-yet.js';
import { hasNoPools, PoolCharts } from './pool-charts.js';
import { PoolsPanel } from './pools-panel.js';
import { ServersPanel } from './servers-panel.js';
import { levels } from './summary.js';
import { databasesTexts } from './texts.js';
import { type Chosen, type DatabaseReads, useDatabases } from './use-databases.js';
import { WaitsPanel } from './waits-panel.js';

const glanceHeightPx = 76;

/** How full database servers are, and how long processes wait for a connection to them. */
export default function Databases() {
  const reads = useDatabases();
  const { title, crumbs } = useTrail(reads.chosen);
  const { data } = reads.all;
  return (
    <Screen
      {...{ title, crumbs }}
      hasRange
      stepSeconds={data?.step}
      actions={<EnvironmentChoice data={data} chosen={reads.chosen.environment} />}
    >
      <Content {...reads} />
    </Screen>
  );
}

function Content(reads: DatabaseReads) {
  const { all, chosen, happenings } = reads;
  const { data, error } = all;
  if (data === undefined && error !== undefined && [403, 404].includes(error.status)) {
    return <SwitchedOff status={error.status} />;
  }
  if (data !== undefined && Object.keys(chosen).length === 0 && isNothing(data)) return <NothingYet />;
  // Servers are observed from outside: no service and no pool of a process owns them.
  const hasServers = chosen.service === undefined;
  return (
    <>
      {hasServers && data !== undefined && <Glance {...data} />}
      {hasServers && data === undefined && error === undefined && <Skeleton height={glanceHeightPx} />}
      {data !== undefined && data.keptFrom !== null && <NotKept keptFrom={data.keptFrom} />}
      <Losses data={data} />
      {hasServers && <ServersPanel read={all} />}
      <PoolsPanel {...reads} />
      <EventsNote {...happenings} />
      <PoolCharts {...reads} />
      <WaitsPanel {...reads} />
    </>
  );
}

function isNothing(data: DatabaseHealthAnswer): boolean {
  return data.sources.length === 0 && data.current.pools.length === 0 && hasNoPools(data);
}

/** Counts lost reports, because the figures are too low then. */
function Losses({ data }: { data: DatabaseHealthAnswer | undefined }) {
  const texts = useTexts(databasesTexts);
  const { count } = useFormat();
  return data?.exporters.services
    .map(({ dropped, ...one }) => ({ ...one, dropped: dropped ?? 0 }))
    .filter(({ dropped }) => dropped > 0)
    .map(({ service, environment, dropped }) => (
      <p key={`${service} ${environment}`} class="stale">
        <Icon name="warning" />
        <span class="loss">{texts.lost({ service, reports: count(dropped) })}</span>
      </p>
    ));
}

/** Where the address is in the hierarchy of pools: its last name, and the way back. */
function useTrail(chosen: Chosen): { title: string; crumbs: Crumb[] } {
  const { screens } = useTexts(shellTexts);
  const { path, to } = useAddress();
  const { environment } = chosen;
  const names = levels.map((level) => chosen[level]);
  const deepest = names.findLastIndex((name) => name !== undefined);
  const steps = [
    { title: screens.databases, href: to(path, { environment }) },
    ...levels.slice(0, Math.max(0, deepest)).flatMap((level, i) => {
      const above = Object.fromEntries(levels.slice(0, i + 1).map((one) => [one, chosen[one]]));
      return chosen[level] === undefined
        ? []
        : [{ title: chosen[level], href: to(path, { environment, ...above }) }];
    }),
  ];
  const title = names[deepest];
  return title === undefined ? { title: screens.databases, crumbs: [] } : { title, crumbs: steps };
}

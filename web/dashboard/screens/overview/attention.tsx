import type { ComponentChildren } from 'preact';
import type { TopAnswer, TotalsAnswer } from '../../../../contract/analytics/figures.js';
import type { OverviewAnswer } from '../../../../contract/manage/overview.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Badge } from '../../kit/badge.js';
import { ErrorNotice, Skeleton } from '../../kit/states.js';
import { kitTexts } from '../../kit/texts.js';
import type { Read } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { incidentPath, pathOfScreen } from '../../shell/screens.js';
import { useTexts } from '../../texts.js';
import { alertRows } from './attention-alerts.js';
import { Row } from './attention-row.js';
import { findRise } from './rise.js';
import { type SaidByAlerts, saidByAlerts } from './said-by-alerts.js';
import { overviewTexts } from './texts.js';
import type { OverviewReads } from './use-overview.js';
import { WhereToLook } from './where-to-look.js';

const monitorsShown = 3;

/** Lists the problems of the page and their places, for somebody who is called at night. */
export function Attention({ overview, totals, endpoints, services }: OverviewReads) {
  const texts = useTexts(overviewTexts);
  const { data } = overview;
  if (data === undefined) {
    return overview.error === undefined ? (
      <Skeleton height={64} />
    ) : (
      <ErrorNotice error={overview.error} retry={overview.retry} />
    );
  }
  const said = saidByAlerts(data);
  const rows = [
    ...alertRows(data),
    ...incidentRows(data, said),
    ...(said.errors ? [] : errorRows(totals.data, endpoints.data)),
    ...monitorRows(data, said),
    ...(said.reporters ? [] : reporterRows(data)),
    ...maintenanceRows(data),
    ...unknownRows({ overview, totals, endpoints }),
  ];
  if (rows.length === 0) {
    // “All is well” is said only when every read has answered.
    const isKnown = [overview, totals, endpoints].every((read) => read.data !== undefined && !read.isOlder);
    return isKnown ? <AllWell data={data} services={services} /> : <Skeleton height={64} />;
  }
  return (
    <section class="panel attention" aria-labelledby="attention">
      <h2 id="attention" class="attention-title">
        {texts.attention}
      </h2>
      <ul>{rows}</ul>
    </section>
  );
}

type Watched = Pick<OverviewReads, 'overview' | 'totals' | 'endpoints'>;

/** A row for each read that failed: its drawn problems may be over, and others may have begun. */
function unknownRows({ overview, totals, endpoints }: Watched): ComponentChildren[] {
  const figures = totals.error === undefined ? endpoints : totals;
  return [
    ...(overview.error === undefined ? [] : [<UnknownRow key="old-state" read={overview} what="oldState" />]),
    ...(figures.error === undefined
      ? []
      : [<UnknownRow key="old-figures" read={figures} what="oldFigures" />]),
  ];
}

type UnknownRowProps = { read: { retry(): void }; what: 'oldState' | 'oldFigures' };

function UnknownRow({ read, what }: UnknownRowProps) {
  const texts = useTexts(overviewTexts);
  const { retry } = useTexts(kitTexts);
  return (
    <Row tone="none" kind={texts.notKnown}>
      <span>{texts[what]}</span>
      <button type="button" class="link-button" onClick={() => read.retry()}>
        {retry}
      </button>
    </Row>
  );
}

function AllWell({ data, services }: { data: OverviewAnswer; services: Read<TopAnswer> }) {
  const texts = useTexts(overviewTexts);
  const { count } = useFormat();
  const up = data.monitors.filter(({ state, paused }) => state === 'up' && !paused).length;
  // Nothing is known yet: that nothing is wrong would be a claim.
  if (up === 0 && !data.checklist.event) return null;
  const reporting = services.isOlder || services.error !== undefined ? 0 : (services.data?.groups ?? 0);
  const { silentReporters, failingReporters, lateReporters } = data;
  const isQuiet = [silentReporters, failingReporters, lateReporters].every((reporters) => reporters === 0);
  return (
    <p class="all-well">
      <Badge tone="good">{texts.nothing}</Badge>
      <span class="note">
        {up > 0 && reporting > 0
          ? texts.nothingOf({
              monitors: texts.monitorsAreUp({ n: up, count: count(up) }),
              services: texts.servicesReport({ n: reporting, count: count(reporting) }),
            })
          : isQuiet
            ? texts.allQuiet
            : texts.quiet}
      </span>
    </p>
  );
}

function incidentRows({ incidents }: OverviewAnswer, said: SaidByAlerts): ComponentChildren[] {
  const others = incidents.filter(({ id }) => !said.incidents.has(id));
  return others.map((incident) => <IncidentRow key={incident.id} incident={incident} />);
}

type IncidentRowProps = { incident: OverviewAnswer['incidents'][number] };

function IncidentRow({ incident: { id, title, state, startedAt } }: IncidentRowProps) {
  const texts = useTexts(overviewTexts);
  return (
    <Row tone="bad" kind={texts.incident}>
      <IncidentLink id={id} title={title} />
      <span class="note">
        {texts.incidentStates[state] ?? state} · <Ago at={startedAt} text={(ago) => texts.since({ ago })} />
      </span>
    </Row>
  );
}

function maintenanceRows({ maintenance }: OverviewAnswer): ComponentChildren[] {
  return maintenance.map((entry) => <MaintenanceRow key={entry.id} entry={entry} />);
}

type MaintenanceRowProps = { entry: OverviewAnswer['maintenance'][number] };

function MaintenanceRow({ entry: { id, title, startsAt, endsAt } }: MaintenanceRowProps) {
  const texts = useTexts(overviewTexts);
  const format = useFormat();
  const start = Date.parse(startsAt);
  const times = [
    start > Date.now()
      ? texts.begins({ moment: format.moment(start) })
      : texts.since({ ago: format.ago(Date.now() - start) }),
    ...(endsAt === null ? [] : [texts.until({ moment: format.moment(Date.parse(endsAt)) })]),
  ];
  return (
    <Row tone="info" kind={texts.maintenance}>
      <IncidentLink id={id} title={title} />
      <span class="note">{times.join(', ')}</span>
    </Row>
  );
}

function IncidentLink({ id, title }: { id: string; title: string }) {
  const { slug } = usePage();
  return (
    <a href={incidentPath(slug, id)} dir="auto">
      {title}
    </a>
  );
}

function Ago({ at, text }: { at: string; text(ago: string): string }) {
  const format = useFormat();
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={format.full(time)}>
      {text(format.ago(Date.now() - time))}
    </time>
  );
}

function errorRows(totals: TotalsAnswer | undefined, top: TopAnswer | undefined): ComponentChildren[] {
  const rise = totals === undefined ? undefined : findRise(totals, top?.rows ?? []);
  return rise === undefined ? [] : [<WhereToLook key="errors" rise={rise} />];
}

function monitorRows({ monitors }: OverviewAnswer, said: SaidByAlerts): ComponentChildren[] {
  const down = monitors.filter(
    ({ slug, state, paused }) => state === 'down' && !paused && !said.monitors.has(slug),
  );
  const rows = down
    .slice(0, monitorsShown)
    .map((monitor) => <DownRow key={monitor.slug} monitor={monitor} />);
  return down.length > monitorsShown
    ? [...rows, <MoreDown key="more" count={down.length - monitorsShown} />]
    : rows;
}

function DownRow({ monitor }: { monitor: OverviewAnswer['monitors'][number] }) {
  const texts = useTexts(overviewTexts);
  const { slug } = usePage();
  const { to } = useAddress();
  return (
    <Row tone="bad" kind={texts.monitor}>
      <a href={to(pathOfScreen(slug, 'monitors'), { monitor: monitor.slug })}>
        <span dir="auto">{monitor.name}</span> {texts.isDown}
      </a>
      {monitor.stateSince !== null && (
        <span class="note">
          <Ago at={monitor.stateSince} text={(ago) => texts.since({ ago })} />
        </span>
      )}
    </Row>
  );
}

function MoreDown({ count }: { count: number }) {
  const texts = useTexts(overviewTexts);
  const { slug } = usePage();
  const { to } = useAddress();
  const format = useFormat();
  return (
    <Row tone="bad" kind={texts.monitor}>
      <a href={to(pathOfScreen(slug, 'monitors'))}>{texts.moreDown({ count: format.count(count) })}</a>
    </Row>
  );
}

/** Reporters with errors are no row: most have some, and the figures have their share. */
function reporterRows({ silentReporters, lateReporters }: OverviewAnswer): ComponentChildren[] {
  return [
    ...(silentReporters !== null && silentReporters > 0
      ? [<ReporterRow key="silent" state="silent" count={silentReporters} />]
      : []),
    ...(lateReporters !== null && lateReporters > 0
      ? [<ReporterRow key="late" state="late" count={lateReporters} />]
      : []),
  ];
}

function ReporterRow({ state, count }: { state: 'silent' | 'late'; count: number }) {
  const texts = useTexts(overviewTexts);
  const { slug } = usePage();
  const { to } = useAddress();
  const format = useFormat();
  const sentence = state === 'silent' ? texts.silentReporters : texts.lateReporters;
  return (
    <Row tone={state === 'silent' ? 'bad' : 'warn'} kind={texts.reporters}>
      <a href={to(pathOfScreen(slug, 'reporters'), { state })}>
        {sentence({ n: count, count: format.count(count) })}
      </a>
      <span class="note">{state === 'silent' ? texts.silentWhy : texts.lateWhy}</span>
    </Row>
  );
}

import { Fragment } from 'preact';
import type { DayIncident } from '../../contract/status-page.js';
import type { Service } from '../../contract/summary.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import { placeIncidents } from '../state/day-incidents.js';
import { type DayAxis, dayAxis, lastDays, markDays } from '../state/day-marks.js';
import { type ServiceState, serviceState, servicesInMaintenance } from '../state/page-state.js';
import { fillText } from '../texts/text.js';
import { DayBars, IncidentLink } from './day-bars.js';
import { Icon, type IconKind, Time } from './elements.js';
import { ResponseChart } from './response-chart.js';
import type { ViewContext } from './view-context.js';
import type { StatusViewInput } from './view-inputs.js';

type Props = { context: ViewContext; view: StatusViewInput };

/** Every service with its state, its uptime and its days. */
export function Services({ context, view }: Props) {
  const { services, monitoringPaused } = view.summary;
  if (services.length === 0) return null;
  const { texts, own } = context;
  const axis = dayAxis(view.now, view.historyDays, services);
  const maintained = servicesInMaintenance(view.incidents);
  return (
    <section class="services" aria-labelledby="services">
      <div class="services-head" {...own}>
        <h2 id="services">{texts.services}</h2>
        <Legend context={context} />
      </div>
      {inGroups(view).map(({ name, services }, at) => (
        <Fragment key={services[0]?.slug}>
          {name !== undefined && (
            <h3 class="service-group" id={`group-${at}`} dir="auto">
              {name}
            </h3>
          )}
          <ul
            class={`service-list ${axis.columns > 45 ? 'many' : axis.columns > 22 ? 'some' : 'few'}`}
            {...(name !== undefined && { 'aria-labelledby': `group-${at}` })}
          >
            {services.map((service) => (
              <ServiceItem
                key={service.slug}
                context={context}
                view={view}
                service={service}
                axis={axis}
                Heading={name === undefined ? 'h3' : 'h4'}
                state={monitoringPaused ? 'paused' : serviceState(service, maintained)}
              />
            ))}
          </ul>
        </Fragment>
      ))}
      <IncidentLinks context={context} incidents={view.dayIncidents} />
    </section>
  );
}

type Part = { name?: string; services: readonly Service[] };

/** The services without a group, then those of each. */
function inGroups({ summary: { services }, groups }: StatusViewInput): Part[] {
  const grouped = new Set(groups.flatMap((group) => group.services));
  const bySlug = new Map(services.map((service) => [service.slug, service]));
  const parts: Part[] = [
    { services: services.filter(({ slug }) => !grouped.has(slug)) },
    ...groups.map((group) => ({
      name: group.name,
      services: group.services.flatMap((slug) => bySlug.get(slug) ?? []),
    })),
  ];
  return parts.filter((part) => part.services.length > 0);
}

/** Where the script takes the links of a day from; the place in the list is what a day names. */
function IncidentLinks({ context, incidents }: { context: ViewContext; incidents: readonly DayIncident[] }) {
  if (incidents.length === 0) return null;
  return (
    <div data-day-incidents="" hidden>
      {incidents.map((incident) => (
        <IncidentLink key={incident.id} context={context} incident={incident} />
      ))}
    </div>
  );
}

/** The forms of the bars; that of downtime has three of its steps. */
const keys: Record<keyof ViewContext['texts']['legend'], readonly (readonly [kind: string, path: string])[]> =
  {
    good: [['good', 'M3 8v6']],
    failed: [['failed', 'M3 3v0M3 8v6']],
    down: [
      ['down-1', 'M3 7v7'],
      ['down-2', 'M9 5v9'],
      ['down-4', 'M15 2v12'],
    ],
    unmeasured: [['unmeasured', 'M3 14v0']],
  };

function Legend({ context: { texts } }: { context: ViewContext }) {
  return (
    <ul class="legend">
      {(['good', 'failed', 'down', 'unmeasured'] as const).map((kind) => (
        <li key={kind}>
          <svg class="key" viewBox={`0 0 ${keys[kind].length * 6} 16`} aria-hidden="true">
            {keys[kind].map(([name, path]) => (
              <path key={name} class={name} d={path} />
            ))}
          </svg>
          {texts.legend[kind]}
        </li>
      ))}
    </ul>
  );
}

const icons: Record<ServiceState, IconKind> = {
  up: 'up',
  down: 'down',
  maintenance: 'maintenance',
  paused: 'paused',
  unknown: 'unknown',
  waiting: 'unknown',
  stale: 'stale',
};

type ItemProps = {
  context: ViewContext;
  view: StatusViewInput;
  service: Service;
  axis: DayAxis;
  /** One level below the heading of what it is in. */
  Heading: 'h3' | 'h4';
  state: ServiceState;
};

function ServiceItem({ context, view, service, axis, Heading, state }: ItemProps) {
  const { texts, own } = context;
  const { historyDays, responseTimes } = view;
  const lastCheckedAt = service.coverage?.lastCheckedAt ?? null;
  const isOld = service.coverage?.freshness === 'stale' && lastCheckedAt !== null;
  const marks = markDays(service, axis.days);
  const placed = placeIncidents(view.dayIncidents, service.slug, axis.days);
  // Nothing to draw, and no figure to give, of a service that nobody has observed yet.
  const isObserved = marks.some(({ measured }) => measured);
  const uptime = state === 'unknown' ? undefined : describeUptime(context, service, historyDays);
  return (
    <li class="service" id={`service-${service.slug}`}>
      <div class="service-head">
        <Heading dir="auto">{service.names[view.language] ?? service.name}</Heading>
        {uptime !== undefined && (
          <span class="uptime" {...own}>
            {uptime}
          </span>
        )}
        <span class={`state ${icons[state]}`} {...own}>
          <Icon kind={icons[state]} />
          {texts.serviceState[state]}
        </span>
      </div>
      {isOld && (
        <p class="note" {...own}>
          {fillText(texts.lastChecked, { time: <Time context={context} at={lastCheckedAt} form="ago" /> })}
        </p>
      )}
      {isObserved && (
        <>
          <DayBars context={context} marks={marks} axis={axis} placed={placed} />
          <div class="under">
            <AxisEnds context={context} axis={axis} />
            <ResponseChart
              context={context}
              service={service}
              responseTimes={responseTimes}
              historyDays={historyDays}
            />
          </div>
        </>
      )}
    </li>
  );
}

/** The texts below the first and the last day. The last day of a young page is somewhere in the middle. */
function AxisEnds({ context, axis }: Pick<ItemProps, 'context' | 'axis'>) {
  const { texts, format, own } = context;
  const { days, columns, isWhole } = axis;
  return (
    <p class="ends" aria-hidden="true" {...own}>
      <span>{isWhole ? format.daysAgo(days.length) : texts.since(format.day(days[0] ?? ''))}</span>
      {days.length === columns && <span>{format.daysAgo(0)}</span>}
    </p>
  );
}

/**
 * Uptime, and the time that it is measured over. A percentage of a few hours says little, so that of the first day is
 * the time down instead. Returns `undefined` when nothing was observed.
 */
function describeUptime(
  { texts, format, view }: ViewContext,
  { uptime, coverage, dailyMinutesDown }: Service,
  historyDays: number,
): string | undefined {
  if (uptime === 'N/A') return undefined;
  const [first = ''] = lastDays(view.now, historyDays);
  const { since = first, observedSeconds = Number.POSITIVE_INFINITY } = coverage ?? {};
  if (observedSeconds * 1000 < dayMs) {
    const minutes = Object.values(dailyMinutesDown).reduce((sum, some) => sum + some, 0);
    const day = format.day(since);
    return minutes === 0 ? texts.soFar.good(day) : texts.soFar.down(format.duration(minutes * minuteMs), day);
  }
  const percent = format.writtenPercent(uptime);
  return since > first
    ? texts.uptime.since(percent, format.day(since))
    : texts.uptime.over(percent, historyDays);
}

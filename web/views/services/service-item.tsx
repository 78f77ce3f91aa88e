import type { ShownIncident, ShownService } from '../../../contract/public/status-page.js';
import { clipText } from '../../../lib/clip-text.js';
import { incidentPath } from '../../page-paths.js';
import { placeIncidents } from '../../state/day-incidents.js';
import { type DayAxis, markDays } from '../../state/day-marks.js';
import type { ServiceState, Standing } from '../../state/service-state.js';
import { fillMessage } from '../../texts/fill-text.js';
import { Icon, type IconKind, Time } from '../elements.js';
import { pickFor } from '../incident-parts.js';
import type { ViewContext } from '../view-context.js';
import type { StatusViewInput } from '../view-inputs.js';
import { DayBars } from './day-bars.js';
import { ResponseChart } from './response-chart.js';
import { describeUptime } from './service-uptime.js';

const icons: Record<ServiceState, IconKind> = {
  up: 'up',
  degraded: 'degraded',
  partial: 'partial',
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
  service: ShownService;
  axis: DayAxis;
  /** One level below the heading of what it is in. */
  Heading: 'h3' | 'h4';
  standing: Standing<ShownIncident>;
};

/** A service: its name, its state and the reason for it, its uptime, its days and its response times. */
export function ServiceItem({ context, view, service, axis, Heading, standing }: ItemProps) {
  const { own } = context;
  const { historyDays, responseTimes } = view;
  const { state } = standing;
  const marks = markDays(service, axis.days);
  const placed = placeIncidents(view.dayIncidents, service.slug, axis.days);
  // Nothing to draw, and no figure to give, of a service that nobody has observed yet.
  const isObserved = marks.some(({ measured }) => measured);
  const uptime = state === 'unknown' ? undefined : describeUptime(context, service, historyDays);
  return (
    <li class="service" id={`service-${service.slug}`}>
      <div class="service-head">
        <Heading dir="auto">
          <Name service={service} language={view.language} />
        </Heading>
        {uptime !== undefined && (
          <span class="uptime" {...own}>
            {uptime}
          </span>
        )}
        <StateWord context={context} state={state} />
      </div>
      <Description service={service} language={view.language} />
      <Reason context={context} service={service} standing={standing} />
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

/** The state of a service or a group in a word. */
export function StateWord({ context: { texts, own }, state }: { context: ViewContext; state: ServiceState }) {
  return (
    <span class={`state ${icons[state]}`} {...own}>
      <Icon kind={icons[state]} />
      {texts.serviceState[state]}
    </span>
  );
}

type ShownIn = { service: ShownService; language: string };

/** The name, which leads to the service where the page knows its address. */
function Name({ service, language }: ShownIn) {
  const name = service.names[language] ?? service.name;
  const { link = null } = service;
  if (link === null) return <>{name}</>;
  return (
    <a href={link} rel="noopener">
      {name}
    </a>
  );
}

function Description({ service: { descriptions }, language }: ShownIn) {
  const text = descriptions?.[language];
  if (text === undefined) return null;
  return (
    <p class="description" dir="auto">
      {text}
    </p>
  );
}

const titleCharsMax = 80;

/** The reason for the state of a service: an incident or maintenance, slow responses, or a last check long ago. */
function Reason({ context, service, standing }: Pick<ItemProps, 'context' | 'service' | 'standing'>) {
  const { texts, own, view } = context;
  const { state, reason } = standing;
  if (reason.kind !== 'monitor') {
    const title = pickFor(context, reason.entry.title);
    return (
      <p class="note">
        <a href={incidentPath(view.language, reason.entry.id)} {...title.mark}>
          {clipText(title.text, titleCharsMax)}
        </a>
      </p>
    );
  }
  const slowSince = state === 'degraded' ? (service.degradedSince ?? null) : null;
  const lastCheckedAt = state === 'stale' ? (service.coverage?.lastCheckedAt ?? null) : null;
  const at = slowSince ?? lastCheckedAt;
  if (at === null) return null;
  const time = <Time context={context} at={at} form={slowSince === null ? 'ago' : 'moment'} />;
  return (
    <p class="note" {...own}>
      {fillMessage(slowSince === null ? texts.lastChecked : texts.slowSince, { time })}
    </p>
  );
}

/** The texts below the first and the last day. The last day of a young page is somewhere in the middle. */
function AxisEnds({ context, axis }: Pick<ItemProps, 'context' | 'axis'>) {
  const { texts, format, own } = context;
  const { days, columns, isWhole } = axis;
  return (
    <p class="ends" aria-hidden="true" {...own}>
      <span>{isWhole ? format.daysAgo(days.length) : texts.since({ day: format.day(days[0] ?? '') })}</span>
      {days.length === columns && <span>{format.daysAgo(0)}</span>}
    </p>
  );
}

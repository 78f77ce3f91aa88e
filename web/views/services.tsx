import type { Service } from '../../contract/summary.js';
import { lastDays, markDays } from '../state/day-marks.js';
import { servicesInMaintenance } from '../state/page-state.js';
import { fillText } from '../texts/text.js';
import { DayBars } from './day-bars.js';
import { Icon, type IconKind, Time } from './elements.js';
import { ResponseChart } from './response-chart.js';
import type { ViewContext } from './view-context.js';
import type { StatusViewInput } from './view-inputs.js';

type Props = { context: ViewContext; view: StatusViewInput };
type ServiceStateKind = keyof ViewContext['texts']['serviceState'];

/** Every service with its state, its uptime and its days. */
export function Services({ context, view }: Props) {
  const { services, monitoringPaused } = view.summary;
  if (services.length === 0) return null;
  const { texts, format, own } = context;
  const days = lastDays(view.now, view.historyDays);
  const maintained = servicesInMaintenance(view.incidents);
  const ends = [format.daysAgo(days.length), format.daysAgo(0)] as const;
  return (
    <section class="services" aria-labelledby="services">
      <div class="services-head" {...own}>
        <h2 id="services">{texts.services}</h2>
        <Legend context={context} />
      </div>
      <ul class={`service-list ${days.length > 45 ? 'many' : days.length > 22 ? 'some' : 'few'}`}>
        {services.map((service) => (
          <ServiceItem
            key={service.slug}
            context={context}
            service={service}
            days={days}
            ends={ends}
            state={stateOf(service, monitoringPaused, maintained.has(service.slug))}
          />
        ))}
      </ul>
    </section>
  );
}

function Legend({ context: { texts } }: { context: ViewContext }) {
  const kinds = ['good', 'failed', 'down', 'unmeasured'] as const;
  return (
    <ul class="legend">
      {kinds.map((kind) => (
        <li key={kind}>
          <svg class="key" viewBox="0 0 6 16" aria-hidden="true">
            <path
              class={kind}
              d={
                kind === 'down'
                  ? 'M3 3v10'
                  : kind === 'failed'
                    ? 'M3 5v8'
                    : kind === 'good'
                      ? 'M3 7v6'
                      : 'M3 13v0'
              }
            />
          </svg>
          {texts.legend[kind]}
        </li>
      ))}
    </ul>
  );
}

function stateOf({ status, coverage }: Service, allPaused: boolean, maintained: boolean): ServiceStateKind {
  const freshness = coverage?.freshness ?? 'fresh';
  if (maintained) return 'maintenance';
  if (allPaused || freshness === 'paused') return 'paused';
  if (freshness === 'never') return 'never';
  if (status === 'down') return 'down';
  return freshness === 'stale' ? 'stale' : 'up';
}

const icons: Record<ServiceStateKind, IconKind> = {
  up: 'up',
  down: 'down',
  maintenance: 'maintenance',
  paused: 'paused',
  never: 'waiting',
  stale: 'stale',
};

type ItemProps = {
  context: ViewContext;
  service: Service;
  days: readonly string[];
  /** The texts below the first and the last day. */
  ends: readonly [string, string];
  state: ServiceStateKind;
};

function ServiceItem({ context, service, days, ends, state }: ItemProps) {
  const { texts, format, own, view } = context;
  const lastCheckedAt = service.coverage?.lastCheckedAt ?? null;
  const isOld = service.coverage?.freshness === 'stale' && lastCheckedAt !== null;
  return (
    <li class="service" id={`service-${service.slug}`}>
      <div class="service-head">
        <h3 dir="auto">{service.names[view.language] ?? service.name}</h3>
        {service.uptime !== 'N/A' && (
          <span class="uptime" {...own}>
            {texts.uptime(format.writtenPercent(service.uptime))}
          </span>
        )}
        <span class={`state ${icons[state]}`} {...own}>
          <Icon kind={icons[state]} />
          {texts.serviceState[state]}
        </span>
      </div>
      {isOld && (
        <p class="note" {...own}>
          {fillText(texts.lastChecked, { time: <Time context={context} at={lastCheckedAt} /> })}
        </p>
      )}
      <DayBars context={context} marks={markDays(service, days)} />
      <div class="under">
        <p class="ends" aria-hidden="true">
          <span>{ends[0]}</span>
          <span>{ends[1]}</span>
        </p>
        <ResponseChart context={context} service={service} days={days} />
      </div>
    </li>
  );
}

import type { ComponentChildren } from 'preact';
import type { DayIncident, ServiceGroup } from '../../../contract/public/status-page.js';
import { type DayAxis, dayAxis } from '../../state/day-marks.js';
import { type GroupPart, inGroups } from '../../state/groups.js';
import { collectNews, isTrouble } from '../../state/service-state.js';
import type { ViewContext } from '../view-context.js';
import type { StatusViewInput } from '../view-inputs.js';
import { IncidentLink } from './day-bars.js';
import { ServiceItem, StateWord } from './service-item.js';
import { describeJointUptime } from './service-uptime.js';

type Props = { context: ViewContext; view: StatusViewInput };

/** Every service with its state, its uptime and its days, in groups. */
export function Services({ context, view }: Props) {
  const { services } = view.summary;
  if (services.length === 0) return null;
  const { texts, own } = context;
  const axis = dayAxis(view.now, view.historyDays, services);
  const parts = inGroups(services, view.groups, collectNews(view.incidents));
  return (
    <section class="services" aria-labelledby="services">
      <div class="services-head" {...own}>
        <h2 id="services">{texts.services}</h2>
        <Legend context={context} />
      </div>
      {parts.map((part) => {
        const list = <ServiceList context={context} view={view} part={part} axis={axis} />;
        return part.group === undefined ? (
          list
        ) : (
          <Group key={part.group.slug} context={context} view={view} group={part.group} part={part}>
            {list}
          </Group>
        );
      })}
      <IncidentLinks context={context} incidents={view.dayIncidents} />
    </section>
  );
}

type Part = GroupPart<StatusViewInput['incidents'][number]>;
type GroupProps = Props & { group: ServiceGroup; part: Part; children: ComponentChildren };

/** The services of a group, below its name, its state and its uptime. What is wrong with one of them is open. */
function Group({ context, view, group, part, children }: GroupProps) {
  const { own } = context;
  const { state, services } = part;
  const isWrong = isTrouble(state);
  const uptime = describeJointUptime(context, part, view.historyDays);
  return (
    <details
      class="group"
      id={`group-${group.slug}`}
      open={!group.collapsed || isWrong}
      {...(isWrong && { 'data-trouble': '' })}
    >
      <summary>
        <h3 dir="auto">{group.names[view.language] ?? group.name}</h3>
        {uptime !== undefined && services.length > 1 && (
          <span class="uptime" {...own}>
            {uptime}
          </span>
        )}
        <StateWord context={context} state={state} />
      </summary>
      {children}
    </details>
  );
}

type ListProps = Props & { part: Part; axis: DayAxis };

function ServiceList({ context, view, part: { group, services }, axis }: ListProps) {
  return (
    <ul
      class={`service-list ${axis.columns > 45 ? 'many' : axis.columns > 22 ? 'some' : 'few'}`}
      {...(group !== undefined && { 'aria-label': group.names[view.language] ?? group.name })}
    >
      {services.map(({ service, standing }) => (
        <ServiceItem
          key={service.slug}
          context={context}
          view={view}
          service={service}
          axis={axis}
          Heading={group === undefined ? 'h3' : 'h4'}
          standing={standing}
        />
      ))}
    </ul>
  );
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

/** The forms of the bars; downtime has three of its steps. */
const keys: Record<keyof ViewContext['texts']['legend'], readonly (readonly [kind: string, path: string])[]> =
  {
    good: [['good', 'M3 8v6']],
    degraded: [['degraded', 'M3 6v8']],
    failed: [['failed', 'M3 3v0M3 8v6']],
    down: [
      ['down-1', 'M3 7v7'],
      ['down-2', 'M9 5v9'],
      ['down-4', 'M15 2v12'],
    ],
    unmeasured: [['unmeasured', 'M3 14v0']],
  };

const kinds = ['good', 'degraded', 'failed', 'down', 'unmeasured'] as const;

function Legend({ context: { texts } }: { context: ViewContext }) {
  return (
    <ul class="legend">
      {kinds.map((kind) => (
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

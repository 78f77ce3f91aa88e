import type { ManagedIncident } from '../../../../../contract/manage/incidents/incidents.js';
import { useFormat } from '../../../format.js';
import { Badge } from '../../../kit/badge.js';
import { Icon } from '../../../kit/icons.js';
import { MarkdownText } from '../../../kit/markdown-text.js';
import { tooltipOf, useLabels } from '../../../kit/person.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { sayImpact } from '../impact-fields.js';
import { impactTexts } from '../impact-texts.js';
import { shownState, stateTones } from '../state.js';
import { incidentsTexts } from '../texts.js';
import { useMoments } from '../use-moments.js';
import { EditHead } from './edit-head.js';
import type { Opened } from './opened.js';
import { oneTexts } from './texts.js';
import { useInline } from './use-inline.js';

/** The head of the incident on the page, and its editor. */
export function Head(opened: Opened) {
  const { incident } = opened;
  const texts = useTexts(oneTexts);
  const common = useTexts(incidentsTexts);
  const keptAs = `incident ${incident.id}`;
  const inline = useInline(keptAs);
  const state = shownState(incident);
  const newest = incident.updates.at(-1);
  return (
    <section class={`panel incident-head ${stateTones[state]}`} aria-label={texts.incident}>
      <div class="panel-body" ref={inline.box}>
        {inline.isOpen ? (
          <EditHead {...opened} keptAs={keptAs} onClose={inline.close} />
        ) : (
          <>
            <div class="incident-line">
              <Badge tone={stateTones[state]}>{common.states[state]}</Badge>
              <span class="note">
                {common.types[incident.type]}
                {newest !== undefined && incident.state === 'open' && ` · ${common.statuses[newest.status]}`}
              </span>
              <PermittedButton permission="incidents.write" class="button small opens" onClick={inline.open}>
                <Icon name="edit" />
                {texts.edit}
              </PermittedButton>
            </div>
            <MarkdownText class="incident-summary" text={incident.summary} />
            <Facts incident={incident} zone={opened.page?.timeZone} />
          </>
        )}
      </div>
    </section>
  );
}

function Facts({ incident, zone }: { incident: ManagedIncident; zone: string | undefined }) {
  const texts = useTexts(oneTexts);
  const words = useTexts(impactTexts);
  const format = useFormat();
  const momentOf = useMoments(zone)[incident.type];
  const { startedAt, resolvedAt, scheduledEndAt, state, monitorSlugs: monitors, author } = incident;
  const labelOf = useLabels([author, ...incident.updates.map((update) => update.author)]);
  const start = Date.parse(startedAt);
  const end = resolvedAt === null ? Date.now() : Date.parse(resolvedAt);
  const rows: [title: string, value: string, isTime?: boolean, tooltip?: string | undefined][] = [
    [state === 'scheduled' ? texts.begins : texts.began, startedAt, true],
    ...(resolvedAt === null ? [] : [[texts.ended, resolvedAt, true] as [string, string, boolean]]),
    ...(scheduledEndAt === null || resolvedAt !== null
      ? []
      : [[texts.planned, scheduledEndAt, true] as [string, string, boolean]]),
    ...(state === 'scheduled'
      ? []
      : [
          [
            resolvedAt === null ? texts.durationNow : texts.duration,
            format.duration(Math.max(0, end - start) / 1_000),
          ] as [string, string],
        ]),
    ...(incident.impact === null
      ? []
      : [[words.impact, sayImpact(incident.impact, words)] as [string, string]]),
    author === null
      ? [texts.author, texts.unknownAuthor]
      : [texts.author, labelOf(author), false, tooltipOf(author, labelOf(author))],
  ];
  return (
    <dl class="incident-facts">
      {rows.map(([title, value, isTime, tooltip]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd dir="auto" title={tooltip}>
            {isTime === true ? (
              <time dateTime={value} title={format.full(Date.parse(value))}>
                {momentOf(value)}
              </time>
            ) : (
              value
            )}
          </dd>
        </div>
      ))}
      <div class="wide">
        <dt>{texts.monitors}</dt>
        <dd>
          {monitors.length === 0 ? (
            texts.noMonitors
          ) : (
            <ul class="slugs">
              {monitors.map((monitor) => (
                <li key={monitor}>
                  {monitor}
                  {incident.serviceStates[monitor] !== undefined &&
                    `: ${words.states[incident.serviceStates[monitor]]}`}
                </li>
              ))}
            </ul>
          )}
        </dd>
      </div>
    </dl>
  );
}

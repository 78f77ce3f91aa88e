import type { ListedIncident } from '../../../../../contract/manage/incidents/incidents.js';
import { type Format, useFormat } from '../../../format.js';
import { Badge } from '../../../kit/badge.js';
import { type Known, tooltipOf } from '../../../kit/person.js';
import { usePage } from '../../../session.js';
import { incidentPath } from '../../../shell/screens.js';
import { useTexts } from '../../../texts.js';
import { shownState, stateTones } from '../state.js';
import { type IncidentsTexts, incidentsTexts } from '../texts.js';
import { useMoments } from '../use-moments.js';

const monitorsShown = 4;

type RowProps = {
  incident: ListedIncident;
  /** IANA name of the zone of the page, once it is known. */
  zone: string | undefined;
  /** Names of authors. */
  labelOf(author: Known): string;
};

/** One incident of the list; the whole row leads to it. */
export function IncidentRow({ incident, zone, labelOf }: RowProps) {
  const texts = useTexts(incidentsTexts);
  const format = useFormat();
  const momentOf = useMoments(zone)[incident.type];
  const { slug } = usePage();
  const state = shownState(incident);
  const { monitorSlugs: monitors, author } = incident;
  return (
    <li class={`incident-row ${stateTones[state]}`}>
      <Badge tone={stateTones[state]}>{texts.states[state]}</Badge>
      <div class="incident-what">
        <a href={incidentPath(slug, incident.id)} dir="auto">
          {incident.title}
        </a>
        <p class="note">
          <span>{texts.types[incident.type]}</span>
          {incident.updateCount > 0 && <span>{texts.updates({ count: incident.updateCount })}</span>}
          {author !== null && (
            <span dir="auto" title={tooltipOf(author, labelOf(author))}>
              {texts.by({ name: labelOf(author) })}
            </span>
          )}
        </p>
      </div>
      <ul class="slugs">
        {monitors.slice(0, monitorsShown).map((monitor) => (
          <li key={monitor}>{monitor}</li>
        ))}
        {monitors.length > monitorsShown && <li>{texts.more({ count: monitors.length - monitorsShown })}</li>}
      </ul>
      <p class="incident-when">
        <time dateTime={incident.startedAt} title={format.full(Date.parse(incident.startedAt))}>
          {momentOf(incident.startedAt)}
        </time>
        <span class="note">{whenOf(incident, { texts, format, momentOf })}</span>
      </p>
    </li>
  );
}

/** How long ago, how long, or until when. */
function whenOf(
  { state, startedAt, resolvedAt, scheduledEndAt }: ListedIncident,
  { texts, format, momentOf }: { texts: IncidentsTexts; format: Format; momentOf(at: string): string },
): string {
  const start = Date.parse(startedAt);
  if (resolvedAt !== null)
    return texts.lasted({ span: format.duration((Date.parse(resolvedAt) - start) / 1_000) });
  if (state !== 'scheduled') return texts.since({ ago: format.ago(Date.now() - start) });
  return scheduledEndAt === null ? '' : texts.until({ moment: momentOf(scheduledEndAt) });
}

import type { ObjectiveReport } from '../../../../../contract/manage/objective-report.js';
import { useFormat } from '../../../format.js';
import { Panel } from '../../../kit/panel.js';
import { usePage } from '../../../session.js';
import { incidentPath } from '../../../shell/screens.js';
import { useTexts } from '../../../texts.js';
import { objectivesTexts } from '../texts.js';

/** As many as one reads; the screen of incidents has the others. */
const shownMax = 8;

/** The newest incidents of the window, with links. */
export function Incidents({ report: { incidents } }: { report: ObjectiveReport }) {
  const { slug } = usePage();
  const texts = useTexts(objectivesTexts);
  const format = useFormat();
  return (
    <Panel title={texts.happened}>
      <ul class="objective-rules">
        {incidents.slice(0, shownMax).map(({ id, title, startedAt, resolvedAt }) => (
          <li key={id}>
            <time class="note" dateTime={startedAt}>
              {format.moment(Date.parse(startedAt))}
            </time>
            <a href={incidentPath(slug, id)} dir="auto">
              {title}
            </a>
            {resolvedAt !== null && (
              <span class="note">
                {format.duration((Date.parse(resolvedAt) - Date.parse(startedAt)) / 1_000)}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

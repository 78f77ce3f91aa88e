import type {
  MaintenanceSeries,
  SeriesOccurrence,
} from '../../../../../contract/manage/incidents/maintenance-series.js';
import { Badge } from '../../../kit/badge.js';
import { SendError } from '../../../kit/form/form.js';
import { showNotice } from '../../../kit/notice.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { useSend } from '../../../reads/use-send.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { incidentPath } from '../../../shell/screens.js';
import { useTexts } from '../../../texts.js';
import { maintenanceTexts } from './texts.js';
import { useDates } from './use-dates.js';

type ListProps = { slug: string; series: MaintenanceSeries; onChange(): void };

/** The next occurrences of a series; one that is not published yet can be skipped, and taken back. */
export function OccurrenceList({ slug, series, onChange }: ListProps) {
  const texts = useTexts(maintenanceTexts);
  const dates = useDates(series.timeZone);
  const send = useSend(async (method: 'PUT' | 'DELETE', startsAt: string) => {
    await sendJson(method, pagePath(slug, `/maintenance-series/${series.id}/skips/${startsAt}`));
    onChange();
    const date = dates.moment(Date.parse(startsAt));
    if (method === 'DELETE') showNotice(texts.takenBack({ date }));
    else showNotice(texts.skippedNotice({ date }), () => send.run('DELETE', startsAt));
  });
  if (series.occurrences.length === 0) return <p class="note">{texts.noDates}</p>;
  return (
    <>
      {send.error !== undefined && <SendError error={send.error} />}
      <ol class="occurrence-list">
        {series.occurrences.map((occurrence) => (
          <li key={occurrence.startsAt}>
            <time dateTime={occurrence.startsAt}>{dates.moment(Date.parse(occurrence.startsAt))}</time>
            <State occurrence={occurrence} />
            <Action
              {...{ slug, occurrence }}
              date={dates.moment(Date.parse(occurrence.startsAt))}
              isBusy={send.isSending}
              onSend={(method) => send.run(method, occurrence.startsAt)}
            />
          </li>
        ))}
      </ol>
    </>
  );
}

function State({ occurrence: { incidentId, isSkipped } }: { occurrence: SeriesOccurrence }) {
  const texts = useTexts(maintenanceTexts);
  if (isSkipped) return <Badge tone="none">{texts.skipped}</Badge>;
  if (incidentId !== null) return <Badge tone="good">{texts.published}</Badge>;
  return <Badge tone="info">{texts.notPublished}</Badge>;
}

type ActionProps = {
  slug: string;
  occurrence: SeriesOccurrence;
  date: string;
  isBusy: boolean;
  onSend(method: 'PUT' | 'DELETE'): void;
};

function Action({ slug, occurrence: { incidentId, isSkipped }, date, isBusy, onSend }: ActionProps) {
  const texts = useTexts(maintenanceTexts);
  if (incidentId !== null) {
    return (
      <a class="button small" href={incidentPath(slug, incidentId)} aria-label={texts.openOf({ date })}>
        {texts.open}
      </a>
    );
  }
  return (
    <PermittedButton
      permission="incidents.write"
      class="button small"
      label={isSkipped ? texts.unskipOf({ date }) : texts.skipOf({ date })}
      isBusy={isBusy}
      onClick={() => onSend(isSkipped ? 'DELETE' : 'PUT')}
    >
      {isSkipped ? texts.unskip : texts.skip}
    </PermittedButton>
  );
}

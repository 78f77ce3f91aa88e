import { useEffect, useState } from 'preact/hooks';
import type { SeriesPreview } from '../../../../../contract/manage/incidents/maintenance-series.js';
import { Icon } from '../../../kit/icons.js';
import { pagePath } from '../../../reads/api-path.js';
import { fieldErrorOf, ReadError, sendJson } from '../../../reads/fetch-json.js';
import { useTexts } from '../../../texts.js';
import { maintenanceTexts } from './texts.js';
import { useDates } from './use-dates.js';

type NextDatesProps = {
  slug: string;
  /** `undefined` while it is not complete. */
  rule: string | undefined;
  startsAt: string;
  zone: string;
  durationMinutes: number | null;
};

type State = { preview?: SeriesPreview; problem?: string; isOlder: boolean };

/** Longer than the pause between two keys. */
const waitMs = 300;
const shownMax = 8;

/** The next dates of a rule, which the service works out. */
export function NextDates({ slug, rule, startsAt, zone, durationMinutes }: NextDatesProps) {
  const texts = useTexts(maintenanceTexts);
  const dates = useDates(zone);
  const { preview, problem, isOlder } = usePreview({ slug, rule, startsAt, zone, durationMinutes });
  const occurrences = preview?.occurrences ?? [];
  const isLonger = occurrences.length > shownMax;
  return (
    <section class="next-dates" aria-label={texts.preview} aria-busy={isOlder}>
      <h3>{texts.preview}</h3>
      <div aria-live="polite">
        {problem !== undefined && (
          <p class="field-error">
            <Icon name="warning" />
            <span>{problem}</span>
          </p>
        )}
        {problem === undefined && preview === undefined && (
          <p class="note">{isOlder ? texts.previewOlder : texts.previewWaits}</p>
        )}
        {occurrences.length > 0 && (
          <ol>
            {occurrences.slice(0, shownMax).map(({ startsAt: start, endsAt }) => (
              <li key={start}>
                <time dateTime={start}>{dates.moment(Date.parse(start))}</time> –{' '}
                {dates.time(Date.parse(endsAt))}
              </li>
            ))}
          </ol>
        )}
        {preview !== undefined && (preview.endsNever || isLonger) && (
          <p class="note">{preview.endsNever ? texts.previewNever : texts.previewMore}</p>
        )}
      </div>
    </section>
  );
}

/** Asks the service once nothing was entered for a moment. */
function usePreview({ slug, rule, startsAt, zone, durationMinutes }: NextDatesProps): State {
  const [state, setState] = useState<State>({ isOlder: false });
  useEffect(() => {
    if (rule === undefined || durationMinutes === null || durationMinutes <= 0) {
      setState({ isOlder: false });
      return;
    }
    setState((before) => ({ ...before, isOlder: true }));
    let isWanted = true;
    const timer = setTimeout(async () => {
      const body = { rule, startsAt, timeZone: zone, durationMinutes };
      const next = await sendJson<SeriesPreview>(
        'POST',
        pagePath(slug, '/maintenance-series/preview'),
        body,
      ).then(
        (preview): State => ({ preview, isOlder: false }),
        (error: unknown): State => ({ problem: problemOf(error), isOlder: false }),
      );
      if (isWanted) setState(next);
    }, waitMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [slug, rule, startsAt, zone, durationMinutes]);
  return state;
}

function problemOf(error: unknown): string {
  if (!(error instanceof ReadError)) return String(error);
  return fieldErrorOf(error)?.problem.replace(/^./, (first) => first.toUpperCase()) ?? error.message;
}

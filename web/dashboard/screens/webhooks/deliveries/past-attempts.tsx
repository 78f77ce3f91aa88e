import type { ManagedDeliveryDetail } from '../../../../../contract/manage/webhooks.js';
import { useFormat } from '../../../format.js';
import { Badge } from '../../../kit/badge.js';
import { Panel } from '../../../kit/panel.js';
import { useTexts } from '../../../texts.js';
import { webhooksTexts } from '../texts.js';

/** The attempts that ended, newest first, with what the receiver answered. */
export function PastAttempts({ attempts }: { attempts: ManagedDeliveryDetail['pastAttempts'] }) {
  const texts = useTexts(webhooksTexts);
  const format = useFormat();
  return (
    <Panel title={texts.pastAttempts}>
      {attempts.length === 0 ? (
        <p class="note">{texts.noAttempts}</p>
      ) : (
        <ol class="attempts">
          {attempts.map(({ at, durationMs, status, error, answer }) => (
            <li key={at}>
              <p>
                <Badge tone={error === null ? 'good' : 'bad'}>{status ?? texts.noAnswer}</Badge>{' '}
                <time dateTime={at}>{format.full(Date.parse(at))}</time>{' '}
                <span class="note">{format.ms(durationMs)}</span>
              </p>
              {error !== null && <p>{error}</p>}
              {answer !== null && answer !== '' && (
                // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and what scrolls is reached by keyboard.
                <pre tabIndex={0} dir="auto">
                  {answer}
                </pre>
              )}
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

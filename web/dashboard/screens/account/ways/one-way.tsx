import { useState } from 'preact/hooks';
import type { ContactWay, TestedContactWay } from '../../../../../contract/manage/contact-ways.js';
import { Badge } from '../../../kit/badge.js';
import { Done, SendError } from '../../../kit/form/form.js';
import { Icon } from '../../../kit/icons.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { useSend } from '../../../reads/use-send.js';
import { useTexts } from '../../../texts.js';
import { waysTexts } from './texts.js';
import { waysPath } from './way-dialogs.js';

/** A test waits for a mail server or a gateway. */
const testMs = 30_000;

type OneWayProps = {
  way: ContactWay;
  onTested(): void;
  onEdit(): void;
  onConfirm(): void;
  onRemove(): void;
};

/** A way: where it leads, what comes there, whether it works, and what can be done with it. */
export function OneWay({ way, onTested, onEdit, onConfirm, onRemove }: OneWayProps) {
  const texts = useTexts(waysTexts);
  const [tested, setTested] = useState<TestedContactWay>();
  const test = useSend(async () => {
    setTested(undefined);
    setTested(
      await sendJson<TestedContactWay>('POST', `${waysPath}/${way.id}/test`, undefined, {
        timeoutMs: testMs,
      }),
    );
    onTested();
  });
  const { id, name, kind, address, confirmed, last } = way;
  const isFailing = last?.state === 'parked';
  return (
    <li key={id}>
      <div>
        <p class="session-title">
          <span dir="auto">{name}</span>
          {!confirmed && <Badge tone="warn">{texts.unconfirmed}</Badge>}
          {confirmed && isFailing && <Badge tone="bad">{texts.failing}</Badge>}
        </p>
        <p class="note">
          {texts.kinds[kind]} · <span dir="ltr">{address}</span>
        </p>
        <p class="note">{sayWhat(way, texts)}</p>
        {isFailing && <p class="note">{last.reason}</p>}
        {tested?.state === 'failed' && (
          <p class="field-error" role="alert">
            <Icon name="warning" />
            <span>{texts.testFailed({ reason: tested.reason ?? '' })}</span>
          </p>
        )}
        {test.error !== undefined && <SendError error={test.error} />}
        <Done text={tested?.state === 'delivered' ? texts.testDelivered : undefined} />
      </div>
      <div class="way-actions">
        {confirmed ? (
          <button
            type="button"
            class="button small"
            aria-disabled={test.isSending}
            aria-label={texts.testOf({ name })}
            onClick={test.run}
          >
            {texts.test}
          </button>
        ) : (
          <button
            type="button"
            class="button small"
            aria-label={texts.confirmOf({ name })}
            onClick={onConfirm}
          >
            {texts.confirm}
          </button>
        )}
        <button type="button" class="icon-button" aria-label={texts.editOf({ name })} onClick={onEdit}>
          <Icon name="edit" />
        </button>
        <button type="button" class="icon-button" aria-label={texts.removeOf({ name })} onClick={onRemove}>
          <Icon name="trash" />
        </button>
      </div>
    </li>
  );
}

/** The severities and the quiet hours in a few words. */
function sayWhat({ severities, quietHours }: ContactWay, texts: (typeof waysTexts)['en']): string {
  const what = severities.map((severity) => texts.severityNames[severity]).join(', ');
  if (quietHours === null) return what;
  const { from, to, timeZone } = quietHours;
  return `${what} · ${texts.quietFor({ from, to, zone: timeZone.replaceAll('_', ' ') })}`;
}

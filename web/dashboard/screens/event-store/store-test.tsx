import { useState } from 'preact/hooks';
import type { EventStoreTest } from '../../../../contract/manage/event-store.js';
import { SendError } from '../../kit/form/form.js';
import { Icon } from '../../kit/icons.js';
import { sendJson } from '../../reads/fetch-json.js';
import { useSend } from '../../reads/use-send.js';
import { PermittedButton } from '../../shell/permitted.js';
import { useTexts } from '../../texts.js';
import { eventStoreTexts } from './texts.js';

const timeoutMs = 75_000;

/** Connects to the store now, and says what the service found. */
export function StoreTest({ path }: { path: string }) {
  const texts = useTexts(eventStoreTexts);
  const [tested, setTested] = useState<EventStoreTest>();
  const { run, isSending, error } = useSend(async () => {
    setTested(undefined);
    setTested(await sendJson<EventStoreTest>('POST', `${path}/test`, undefined, { timeoutMs }));
  });
  return (
    <div class="store-test">
      <PermittedButton permission="store.write" class="button small" isBusy={isSending} onClick={run}>
        {texts.test}
      </PermittedButton>
      <p role="status">
        {isSending && texts.testing}
        {tested !== undefined && (
          <span class={tested.isUsable ? 'store-usable' : 'store-unusable'}>
            <Icon name={tested.isUsable ? 'check' : 'warning'} />
            {tested.isUsable
              ? texts.usable({ version: tested.version ?? '' })
              : texts.unusable({ why: tested.error ?? '' })}
          </span>
        )}
      </p>
      {error !== undefined && <SendError error={error} />}
    </div>
  );
}

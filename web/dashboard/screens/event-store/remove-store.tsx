import { useState } from 'preact/hooks';
import type { ManagedEventStore } from '../../../../contract/manage/event-store.js';
import { useFormat } from '../../format.js';
import { Confirm } from '../../kit/form/confirm.js';
import { showNotice } from '../../kit/notice.js';
import { sendJson } from '../../reads/fetch-json.js';
import { PermittedButton } from '../../shell/permitted.js';
import { useTexts } from '../../texts.js';
import { eventStoreTexts } from './texts.js';

type RemoveProps = { path: string; backlog: ManagedEventStore['backlog']; onRemoved(): void };

/** The way back to the store of the installation, which says what is lost. */
export function RemoveStore({ path, backlog, onRemoved }: RemoveProps) {
  const texts = useTexts(eventStoreTexts);
  const { count } = useFormat();
  const [isAsked, setAsked] = useState(false);
  const confirm = async (): Promise<void> => {
    await sendJson('DELETE', path);
    showNotice(texts.removedStore);
    onRemoved();
  };
  const batches = backlog.waiting + backlog.exhausted;
  return (
    <div>
      <PermittedButton permission="store.write" class="button small" onClick={() => setAsked(true)}>
        {texts.remove}
      </PermittedButton>
      {isAsked && (
        <Confirm
          title={texts.removeTitle}
          action={texts.removeAction}
          isDanger
          onConfirm={confirm}
          onClose={() => setAsked(false)}
        >
          <p>{texts.removeWhy}</p>
          {batches > 0 && (
            <p class="secret-once">
              {texts.removeBacklog({ batches: count(batches), events: count(backlog.events) })}
            </p>
          )}
        </Confirm>
      )}
    </div>
  );
}

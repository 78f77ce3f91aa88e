import { useEffect, useState } from 'preact/hooks';
import type { ManagedEventStore } from '../../../../contract/manage/event-store.js';
import { useFormat } from '../../format.js';
import { Figure } from '../../kit/figure.js';
import { Confirm } from '../../kit/form/confirm.js';
import { showNotice } from '../../kit/notice.js';
import { sendJson } from '../../reads/fetch-json.js';
import { PermittedButton } from '../../shell/permitted.js';
import { useTexts } from '../../texts.js';
import { eventStoreTexts } from './texts.js';

type BacklogProps = {
  path: string;
  backlog: ManagedEventStore['backlog'];
  setWatched(isWatched: boolean): void;
  onChanged(): void;
};

/** The batches that wait for the store, the reason, and a button that delivers them again. */
export function Backlog({ path, backlog, setWatched, onChanged }: BacklogProps) {
  const texts = useTexts(eventStoreTexts);
  const format = useFormat();
  const [isAsked, setAsked] = useState(false);
  const [all, setAll] = useState<number>();
  const { waiting, exhausted, events, oldestAt, nextAttemptAt, lastError, removedBatches } = backlog;
  const left = waiting + exhausted;
  useEffect(() => setWatched(all !== undefined && left > 0), [all, left]);
  return (
    <div class="store-parts">
      {left === 0 ? (
        <p role="status">{all === undefined ? texts.nothingWaits : texts.delivered}</p>
      ) : (
        <dl class="store-figures">
          <Figure title={texts.waiting} value={format.count(waiting)} />
          <Figure title={texts.events} value={format.count(events)} />
          <Figure
            title={texts.oldest}
            value={oldestAt === null ? undefined : format.ago(Math.max(0, Date.now() - Date.parse(oldestAt)))}
          />
          <Figure title={texts.exhausted} value={format.count(exhausted)} />
          {removedBatches > 0 && <Figure title={texts.removed} value={format.count(removedBatches)} />}
        </dl>
      )}
      {all !== undefined && left > 0 && <Progress done={Math.max(0, all - left)} all={all} />}
      {lastError !== null && (
        <p>
          {texts.lastError}: <span dir="auto">{lastError}</span>
          {nextAttemptAt !== null && (
            <span class="note">
              {' '}
              {texts.nextAttempt({ moment: format.moment(Date.parse(nextAttemptAt)) })}
            </span>
          )}
        </p>
      )}
      {left > 0 && (
        <div>
          <PermittedButton permission="store.write" class="button small" onClick={() => setAsked(true)}>
            {texts.replay}
          </PermittedButton>
        </div>
      )}
      {isAsked && (
        <Replay
          {...{ path, backlog }}
          onReplayed={() => {
            setAll(left);
            onChanged();
          }}
          onClose={() => setAsked(false)}
        />
      )}
    </div>
  );
}

function Progress({ done, all }: { done: number; all: number }) {
  const texts = useTexts(eventStoreTexts);
  const { count } = useFormat();
  const text = texts.progress({ done: count(done), all: count(all) });
  return (
    <p class="store-progress" role="status">
      <progress aria-label={texts.replay} value={done} max={all} />
      {text}
    </p>
  );
}

type ReplayProps = Pick<BacklogProps, 'path' | 'backlog'> & { onReplayed(): void; onClose(): void };

function Replay({ path, backlog: { waiting, exhausted }, onReplayed, onClose }: ReplayProps) {
  const texts = useTexts(eventStoreTexts);
  const { count } = useFormat();
  const confirm = async (): Promise<void> => {
    const { replayed } = await sendJson<{ replayed: number }>('POST', `${path}/replay`);
    showNotice(texts.replayed({ count: count(replayed) }));
    onReplayed();
  };
  return (
    <Confirm title={texts.replayTitle} action={texts.replay} onClose={onClose} onConfirm={confirm}>
      <p>{texts.replayWhy({ exhausted: count(exhausted), waiting: count(waiting) })}</p>
    </Confirm>
  );
}

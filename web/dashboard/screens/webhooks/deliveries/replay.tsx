import { useEffect, useState } from 'preact/hooks';
import type { ManagedDelivery } from '../../../../../contract/manage/webhooks.js';
import { searchOf } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { Confirm } from '../../../kit/form/confirm.js';
import { showNotice } from '../../../kit/notice.js';
import { Skeleton } from '../../../kit/states.js';
import { fetchJson, ReadError, sendJson } from '../../../reads/fetch-json.js';
import type { ListAnswer } from '../../../reads/use-list.js';
import { useSend } from '../../../reads/use-send.js';
import { useTexts } from '../../../texts.js';
import { webhooksTexts } from '../texts.js';

/** Sends one delivery again. `place` is the path of the deliveries. */
export function useReplay(place: string, onReplayed: () => void) {
  const texts = useTexts(webhooksTexts);
  return useSend(async ({ id }: Pick<ManagedDelivery, 'id'>) => {
    await sendJson('POST', `${place}/${id}/replay`);
    showNotice(texts.replayed);
    onReplayed();
  });
}

type FailedProps = { place: string; onClose(): void; onReplayed(): void };

/** Says how many deliveries were given up, and sends them again, the oldest first. */
export function ReplayFailed({ place, onClose, onReplayed }: FailedProps) {
  const texts = useTexts(webhooksTexts);
  const format = useFormat();
  const [failed, setFailed] = useState<readonly ManagedDelivery[]>();
  const load = useSend(async () => setFailed(await loadFailed(place)));
  useEffect(load.run, []);
  const replay = async (): Promise<void> => {
    if (failed === undefined) return;
    for (const { id } of failed.toReversed()) {
      await sendJson('POST', `${place}/${id}/replay`).catch(unlessDone);
    }
    if (failed.length > 0) showNotice(texts.replayedMany({ count: format.count(failed.length) }));
    onReplayed();
  };
  return (
    <Confirm
      title={texts.replayFailedTitle}
      action={texts.replay}
      isWaiting={failed === undefined}
      error={load.error}
      onConfirm={replay}
      onClose={onClose}
    >
      {failed === undefined ? (
        load.error === undefined && <Skeleton lines={1} />
      ) : (
        <p role="status">
          {failed.length === 0
            ? texts.nothingFailed
            : texts.replayFailedWhy({ count: failed.length, shown: format.count(failed.length) })}
        </p>
      )}
    </Confirm>
  );
}

async function loadFailed(place: string): Promise<ManagedDelivery[]> {
  const failed: ManagedDelivery[] = [];
  let cursor: string | undefined;
  do {
    const path = place + searchOf({ state: 'parked', limit: '200', cursor });
    const answer = await fetchJson<ListAnswer<ManagedDelivery>>(path);
    if (answer === 'unchanged') break;
    failed.push(...answer.body.items);
    cursor = answer.body.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return failed;
}

/** Somebody else may have sent it meanwhile. */
function unlessDone(error: unknown): void {
  if (!(error instanceof ReadError) || (error.status !== 409 && error.status !== 404)) throw error;
}

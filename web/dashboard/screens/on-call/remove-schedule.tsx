import type { ManagedSchedule } from '../../../../contract/manage/schedules.js';
import { useAddress } from '../../address/use-address.js';
import { Confirm } from '../../kit/form/confirm.js';
import { showNotice } from '../../kit/notice.js';
import { sendJson } from '../../reads/fetch-json.js';
import { readIfStale } from '../../reads/refusals.js';
import type { Read } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { schedulePath } from './schedule-path.js';
import { onCallTexts } from './texts.js';

type RemoveProps = { schedule: ManagedSchedule; read: Read<ManagedSchedule>; onClose(): void };

/** Deletes a schedule; its overrides and its calendar end with it, so nothing brings it back. */
export function RemoveSchedule({ schedule: { name, slug }, read, onClose }: RemoveProps) {
  const { slug: page } = usePage();
  const texts = useTexts(onCallTexts);
  const { choose } = useAddress();
  const confirm = async (): Promise<void> => {
    await sendJson('DELETE', schedulePath(page, slug), undefined, { ifMatch: read.etag }).catch(
      readIfStale(read),
    );
    showNotice(texts.removed({ name }));
    choose({ schedule: undefined });
  };
  return (
    <Confirm title={texts.removeTitle} action={texts.remove} isDanger onConfirm={confirm} onClose={onClose}>
      <p>{texts.removeWhy({ name })}</p>
    </Confirm>
  );
}

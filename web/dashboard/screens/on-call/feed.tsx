import { useState } from 'preact/hooks';
import type { ManagedSchedule, ScheduleFeed } from '../../../../contract/manage/schedules.js';
import { Dialog } from '../../kit/dialog.js';
import { SendError } from '../../kit/form/form.js';
import { Icon } from '../../kit/icons.js';
import { showNotice } from '../../kit/notice.js';
import { SecretDialog } from '../../kit/secret.js';
import { sendJson } from '../../reads/fetch-json.js';
import type { Read } from '../../reads/use-read.js';
import { useSend } from '../../reads/use-send.js';
import { usePage, useSession } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { useTexts } from '../../texts.js';
import { schedulePath } from './schedule-path.js';
import { onCallTexts } from './texts.js';

type FeedProps = { schedule: ManagedSchedule; read: Read<ManagedSchedule> };

/** Opens what there is to do with the calendar that other programs subscribe to. */
export function FeedButton({ schedule, read }: FeedProps) {
  const texts = useTexts(onCallTexts);
  const [isOpen, setOpen] = useState(false);
  const [url, setUrl] = useState<string>();
  const close = (): void => {
    setOpen(false);
    setUrl(undefined);
  };
  return (
    <>
      <PermittedButton permission="notifications.write" class="button small" onClick={() => setOpen(true)}>
        <Icon name="link" />
        {texts.feed}
      </PermittedButton>
      {isOpen &&
        (url === undefined ? (
          <FeedDialog {...{ schedule, read }} onMade={setUrl} onClose={close} />
        ) : (
          <FeedAddress url={url} onClose={close} />
        ))}
    </>
  );
}

type DialogProps = FeedProps & { onMade(url: string): void; onClose(): void };

function FeedDialog({ schedule: { slug, hasFeed }, read, onMade, onClose }: DialogProps) {
  const { slug: page } = usePage();
  const texts = useTexts(onCallTexts);
  const path = `${schedulePath(page, slug)}/feed`;
  const make = useSend(async () => {
    const { url } = await sendJson<ScheduleFeed>('POST', path);
    read.retry();
    onMade(url);
  });
  const end = useSend(async () => {
    await sendJson('DELETE', path);
    read.retry();
    showNotice(texts.feedEnded);
    onClose();
  });
  const error = make.error ?? end.error;
  return (
    <Dialog title={texts.feed} onClose={onClose}>
      <div class="confirm">
        <p>{texts.feedWhy}</p>
        {hasFeed && <p>{texts.feedIsThere}</p>}
        {error !== undefined && <SendError error={error} />}
        <div class="form-actions end">
          {hasFeed && (
            <button type="button" class="button small" aria-disabled={end.isSending} onClick={end.run}>
              {texts.endFeed}
            </button>
          )}
          <button type="button" class="button" aria-disabled={make.isSending} onClick={make.run}>
            {hasFeed ? texts.renewFeed : texts.makeFeed}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

/** The address, which no later answer has, with the one of the own shifts alone. */
function FeedAddress({ url, onClose }: { url: string; onClose(): void }) {
  const texts = useTexts(onCallTexts);
  const { me } = useSession();
  const own = `${url}?${new URLSearchParams({ person: me.caller.email ?? '' })}`;
  return (
    <SecretDialog
      title={texts.feedAddress}
      label={texts.copyFeed}
      secret={url}
      uses={[
        { title: texts.everybody, text: url },
        { title: texts.onlyMine, text: own },
      ]}
      onClose={onClose}
    />
  );
}

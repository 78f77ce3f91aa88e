import { useState } from 'preact/hooks';
import type { ManagedMonitor } from '../../../../../contract/manage/monitors.js';
import { useAddress } from '../../../address/use-address.js';
import { Confirm } from '../../../kit/form/confirm.js';
import { Icon } from '../../../kit/icons.js';
import { Menu } from '../../../kit/menu.js';
import { showNotice } from '../../../kit/notice.js';
import type { Read } from '../../../reads/use-read.js';
import { useSend } from '../../../reads/use-send.js';
import { usePage } from '../../../session.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { changeTexts } from './texts.js';
import { sendDelete, sendPause } from './verbs.js';

type ActionsProps = { monitor: ManagedMonitor; read: Read<ManagedMonitor> };

/** Pauses, edits, copies and deletes a monitor. Those who may not see that there is editing, and who may. */
export function MonitorActions({ monitor, read }: ActionsProps) {
  const { may } = usePage();
  const { choose } = useAddress();
  const texts = useTexts(changeTexts);
  return (
    <>
      {may('monitors.write') && <PauseButton monitor={monitor} read={read} />}
      <PermittedButton permission="monitors.write" class="button small" onClick={() => choose({ edit: '1' })}>
        <Icon name="edit" />
        {texts.edit}
      </PermittedButton>
      {may('monitors.write') && <MoreActions monitor={monitor} />}
    </>
  );
}

function PauseButton({ monitor, read }: ActionsProps) {
  const page = usePage();
  const texts = useTexts(changeTexts);
  const { slug, name, pausedAt } = monitor;
  const isPaused = pausedAt !== null;
  const { run, isSending } = useSend(async (pausing: boolean) => {
    const ref = { page: page.slug, monitor: slug };
    read.take(await sendPause(ref, pausing).catch(tell));
    if (pausing) showNotice(texts.paused({ name }), () => run(false));
    else showNotice(texts.resumed({ name }));
  });
  const tell = (error: unknown): never => {
    showNotice(texts.notChanged({ name }));
    throw error;
  };
  return (
    <button type="button" class="button small" aria-disabled={isSending} onClick={() => run(!isPaused)}>
      <Icon name={isPaused ? 'play' : 'pause'} />
      {isPaused ? texts.resume : texts.pause}
    </button>
  );
}

function MoreActions({ monitor }: { monitor: ManagedMonitor }) {
  const { choose } = useAddress();
  const texts = useTexts(changeTexts);
  const [isAsking, setAsking] = useState(false);
  const { slug, type } = monitor;
  return (
    <>
      <Menu label={texts.more} button={<Icon name="more" />} class="icon-button" align="end">
        {(close) => (
          <ul class="menu-list">
            <li>
              <button type="button" onClick={() => choose({ monitor: undefined, new: type, copy: slug })}>
                <Icon name="copy" />
                {texts.duplicate}
              </button>
            </li>
            <li>
              <button
                type="button"
                onClick={() => {
                  close();
                  setAsking(true);
                }}
              >
                <Icon name="trash" />
                {texts.delete} …
              </button>
            </li>
          </ul>
        )}
      </Menu>
      {isAsking && <DeleteMonitor monitor={monitor} onClose={() => setAsking(false)} />}
    </>
  );
}

function DeleteMonitor({ monitor, onClose }: { monitor: ManagedMonitor; onClose(): void }) {
  const page = usePage();
  const { replace } = useAddress();
  const texts = useTexts(changeTexts);
  const confirm = async (): Promise<void> => {
    await sendDelete({ page: page.slug, monitor: monitor.slug });
    replace({ monitor: undefined });
    showNotice(texts.deleted({ name: monitor.name }));
  };
  return (
    <Confirm
      title={texts.deleteTitle({ name: monitor.name })}
      action={texts.delete}
      isDanger
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{texts.deleteWhy}</p>
      {monitor.type === 'heartbeat' && <p>{texts.deleteHeartbeat}</p>}
    </Confirm>
  );
}

import { useState } from 'preact/hooks';
import type { ManagedPage } from '../../../../../contract/manage/pages.js';
import { SendError } from '../../../kit/form/form.js';
import { showNotice } from '../../../kit/notice.js';
import { Panel } from '../../../kit/panel.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendForTag } from '../../../reads/fetch-json.js';
import { useSend } from '../../../reads/use-send.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import type { PageRead } from '../use-page-editor.js';
import { DeletePage } from './delete-page.js';
import { dangerTexts } from './texts.js';

/** Pauses the page or deletes it. */
export function DangerZone(settings: PageRead) {
  const texts = useTexts(dangerTexts);
  const [isDeleting, setDeleting] = useState(false);
  return (
    <div class="page-part">
      <Monitoring {...settings} />
      <Panel title={texts.remove} note={texts.removeWhy}>
        <PermittedButton permission="page.delete" class="button danger" onClick={() => setDeleting(true)}>
          {texts.remove}
        </PermittedButton>
      </Panel>
      {isDeleting && <DeletePage {...settings} onClose={() => setDeleting(false)} />}
    </div>
  );
}

function Monitoring({ read, page }: PageRead) {
  const texts = useTexts(dangerTexts);
  const isPaused = page.monitoringPaused === true;
  const change = useSend(async (monitoringPaused: boolean, isUndo: boolean) => {
    read.take(await sendForTag<ManagedPage>('PATCH', pagePath(page.slug, ''), { monitoringPaused }));
    const undo = isUndo ? undefined : () => change.run(!monitoringPaused, true);
    showNotice(monitoringPaused ? texts.paused : texts.resumed, undo);
  });
  return (
    <Panel title={texts.monitoring} note={isPaused ? texts.monitoringOff : texts.monitoringOn}>
      <div class="form">
        <p>{texts.pauseWhy}</p>
        {change.error !== undefined && <SendError error={change.error} />}
        <div class="form-actions">
          <PermittedButton
            permission="page.write"
            isBusy={change.isSending}
            onClick={() => change.run(!isPaused, false)}
          >
            {isPaused ? texts.resume : texts.pause}
          </PermittedButton>
        </div>
      </div>
    </Panel>
  );
}

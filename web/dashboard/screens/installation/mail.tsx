import { useState } from 'preact/hooks';
import type { TestMail } from '../../../../contract/manage/installation.js';
import { Done, SendError } from '../../kit/form/form.js';
import { Icon } from '../../kit/icons.js';
import { Panel } from '../../kit/panel.js';
import { sendJson } from '../../reads/fetch-json.js';
import { useSend } from '../../reads/use-send.js';
import { useSession } from '../../session.js';
import { useTexts } from '../../texts.js';
import { installationTexts } from './texts.js';

/** Whether mail leaves, which a test mail to the person shows. */
export function Mail() {
  const texts = useTexts(installationTexts);
  const { me, sendsMail } = useSession();
  const [sent, setSent] = useState<TestMail>();
  const { run, isSending, error } = useSend(async () => {
    setSent(undefined);
    setSent(await sendJson<TestMail>('POST', '/api/v1/installation/test-mail'));
  });
  const said = isSending
    ? texts.testSending
    : sent?.state === 'accepted'
      ? texts.testAccepted({ email: sent.to })
      : undefined;
  return (
    <Panel title={texts.mail} note={texts.mailWhy}>
      {error !== undefined && <SendError error={error} />}
      {sent?.state === 'failed' && (
        <div class="error-notice" role="alert">
          <Icon name="warning" />
          <p>
            {texts.testFailed} <q lang="en">{sent.reason}</q>
          </p>
        </div>
      )}
      <div class="form-actions">
        <button
          type="button"
          class="button small"
          aria-disabled={!sendsMail || isSending}
          onClick={() => sendsMail && !isSending && run()}
        >
          {texts.sendTest}
        </button>
        <span class="note">
          {sendsMail ? texts.testTo({ email: me.caller.email ?? '' }) : texts.testNeedsServer}
        </span>
        <Done text={said} />
      </div>
    </Panel>
  );
}

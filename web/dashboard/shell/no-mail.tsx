import { Icon } from '../kit/icons.js';
import { useSession } from '../session.js';
import { useTexts } from '../texts.js';
import { shellTexts } from './texts.js';

/** Above what needs mail, where none can be sent. */
export function NoMailNote() {
  const { sendsMail } = useSession();
  const texts = useTexts(shellTexts);
  if (sendsMail) return null;
  return (
    <p class="stale no-mail" role="note">
      <Icon name="warning" />
      <span>
        {texts.noMail} <code>HEARTLINE_SMTP_URL</code> {texts.noMailThen}
      </span>
    </p>
  );
}

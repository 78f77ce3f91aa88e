import { useRead } from '../../reads/use-read.js';
import { Screen } from '../../shell/screen.js';
import { shellTexts } from '../../shell/texts.js';
import { ThemeChoice } from '../../shell/user-menu.js';
import { useTexts } from '../../texts.js';
import { Password } from './password.js';
import { Profile } from './profile.js';
import { Sessions, type SessionsAnswer } from './sessions.js';
import { Setting } from './setting.js';
import { accountTexts } from './texts.js';
import { Totp } from './totp/totp.js';
import { Ways } from './ways/ways.js';

/** The settings of the own account. */
export default function Account() {
  const { account } = useTexts(shellTexts);
  const texts = useTexts(accountTexts);
  const sessions = useRead<SessionsAnswer>('/api/v1/sessions?limit=200');
  return (
    <Screen title={account}>
      <div class="settings">
        <Profile />
        <Setting title={texts.appearance} note={texts.appearanceWhy}>
          <ThemeChoice />
        </Setting>
        <Ways />
        <Password onChanged={sessions.retry} />
        <Totp onChanged={sessions.retry} />
        <Sessions read={sessions} />
      </div>
    </Screen>
  );
}

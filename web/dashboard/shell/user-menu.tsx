import { useId } from 'preact/hooks';
import { accountPaths, dashboardPaths } from '../../account/manage-paths.js';
import { Icon, Initial } from '../kit/icons.js';
import { forgetPersonal } from '../kit/kept.js';
import { Menu } from '../kit/menu.js';
import { useSession } from '../session.js';
import { languages, useTexts } from '../texts.js';
import { shellTexts } from './texts.js';
import { themes, useTheme } from './theme.js';
import { languageNames, useLanguage } from './use-language.js';

/** Who is signed in, with the account, the looks and the way out. */
export function UserMenu({ onShortcuts }: { onShortcuts(): void }) {
  const { me } = useSession();
  const texts = useTexts(shellTexts);
  const { name, email } = me.caller;
  return (
    <Menu
      label={`${texts.me}: ${name} ${email ?? ''}`}
      class="user-button"
      button={
        <>
          <Initial name={name} isRound />
          <span class="user-name">
            <span dir="auto">{name}</span> <span class="note">{email}</span>
          </span>
          <Icon name="chevron" />
        </>
      }
    >
      {(close) => (
        <div class="user-box">
          <ThemeChoice />
          <LanguageChoice />
          <ul class="menu-list">
            <li>
              <a href={dashboardPaths.account} onClick={close}>
                <Icon name="account" />
                {texts.account}
              </a>
            </li>
            <li>
              <button
                type="button"
                onClick={() => {
                  close();
                  onShortcuts();
                }}
              >
                <Icon name="keyboard" />
                {texts.shortcuts}
              </button>
            </li>
            <li>
              <form method="post" action={accountPaths.signOut} onSubmit={() => forgetPersonal(me.caller.id)}>
                <button type="submit">
                  <Icon name="out" />
                  {texts.signOut}
                </button>
              </form>
            </li>
          </ul>
        </div>
      )}
    </Menu>
  );
}

/** Light, dark, or as the system is; the choice belongs to the browser. */
export function ThemeChoice() {
  const texts = useTexts(shellTexts);
  const [theme, choose] = useTheme();
  const name = useId();
  return (
    <fieldset class="segments">
      <legend>{texts.theme}</legend>
      {themes.map((one) => (
        <label key={one}>
          <input type="radio" name={name} checked={one === theme} onChange={() => choose(one)} />
          <span>{texts.themes[one]}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** The choice belongs to the account: the next browser has it as well. */
function LanguageChoice() {
  const { language } = useSession();
  const texts = useTexts(shellTexts);
  const choose = useLanguage();
  return (
    <fieldset class="segments">
      <legend>{texts.language}</legend>
      {languages.map((one) => (
        <label key={one}>
          <input type="radio" name="language" checked={one === language} onChange={() => choose(one)} />
          <span lang={one}>{languageNames[one]}</span>
        </label>
      ))}
    </fieldset>
  );
}

import { useState } from 'preact/hooks';
import type { ManagedPage } from '../../../../../contract/manage/pages.js';
import { accessLimits } from '../../../../../contract/public/status-page.js';
import { Field } from '../../../kit/form/field.js';
import { SendError } from '../../../kit/form/form.js';
import { showNotice } from '../../../kit/notice.js';
import { Panel } from '../../../kit/panel.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendForTag } from '../../../reads/fetch-json.js';
import { useSend } from '../../../reads/use-send.js';
import { useTexts } from '../../../texts.js';
import type { PageRead } from '../use-page-editor.js';
import { readersTexts } from './texts.js';

const { passwordCharsMin, passwordCharsMax } = accessLimits;

/** The password of readers. Nobody sees it again; the browser keeps no draft of it. */
export function ReaderPassword({ read, page, isDisabled }: PageRead & { isDisabled: boolean }) {
  const texts = useTexts(readersTexts);
  const [password, setPassword] = useState('');
  const [isShort, setShort] = useState(false);
  const save = useSend(async (value: string | null) => {
    read.take(await sendForTag<ManagedPage>('PATCH', pagePath(page.slug, ''), { password: value }));
    setPassword('');
    showNotice(value === null ? texts.removed : texts.set);
  });
  return (
    <Panel title={texts.password} note={page.hasPassword ? texts.passwordThere : texts.passwordMissing}>
      <form
        class="form"
        aria-label={texts.password}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setShort(password.length < passwordCharsMin);
          if (password.length >= passwordCharsMin) save.run(password);
        }}
      >
        <Field
          label={page.hasPassword ? texts.newPassword : texts.password}
          hint={texts.passwordWhy}
          error={isShort ? texts.passwordShort({ chars: passwordCharsMin }) : undefined}
        >
          {(input) => (
            <input
              {...input}
              type="text"
              value={password}
              maxLength={passwordCharsMax}
              autocomplete="off"
              spellcheck={false}
              disabled={isDisabled}
              onInput={({ currentTarget }) => {
                setShort(false);
                setPassword(currentTarget.value);
              }}
            />
          )}
        </Field>
        {save.error !== undefined && <SendError error={save.error} />}
        <div class="form-actions">
          <button type="submit" class="button" disabled={isDisabled} aria-disabled={save.isSending}>
            {page.hasPassword ? texts.replace : texts.setPassword}
          </button>
          {page.hasPassword && (
            <button type="button" class="button small" disabled={isDisabled} onClick={() => save.run(null)}>
              {texts.remove}
            </button>
          )}
        </div>
      </form>
    </Panel>
  );
}

import { useLayoutEffect, useRef } from 'preact/hooks';
import { CopyButton } from '../../../kit/copy-button.js';
import { Icon } from '../../../kit/icons.js';
import { saveFile } from '../../../kit/save-file.js';
import { useSession } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { accountTexts } from '../texts.js';

type RecoveryCodesProps = { codes: readonly string[]; onKept(): void };

/** The codes, once. */
export function RecoveryCodes({ codes, onKept }: RecoveryCodesProps) {
  const { me } = useSession();
  const texts = useTexts(accountTexts);
  const title = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => title.current?.focus(), []);
  const text = `${texts.recoveryFile({ email: me.caller.email ?? me.caller.name })}\n\n${codes.join('\n')}\n`;
  return (
    <div class="form">
      <div>
        <h3 ref={title} tabIndex={-1}>
          {texts.recovery}
        </h3>
        <p class="note">{texts.recoveryWhy}</p>
      </div>
      <ol class="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div class="form-actions">
        <button type="button" class="button" onClick={onKept}>
          {texts.kept}
        </button>
        <CopyButton text={codes.join('\n')} label={texts.copyCodes} />
        <button
          type="button"
          class="copy-button"
          onClick={() => saveFile('heartline-recovery-codes.txt', text, 'text/plain;charset=utf-8')}
        >
          <Icon name="download" />
          {texts.downloadCodes}
        </button>
      </div>
    </div>
  );
}

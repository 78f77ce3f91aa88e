import { useState } from 'preact/hooks';
import { useTexts } from '../texts.js';
import { Command } from './command.js';
import { CopyButton } from './copy-button.js';
import { Dialog } from './dialog.js';
import { Segments } from './form/choices.js';
import { Icon } from './icons.js';
import { kitTexts } from './texts.js';

type SecretProps = {
  title: string;
  /** Names the secret on the button that copies it. */
  label: string;
  secret: string;
  /** Lines that use it, such as one for curl, one for Node.js and one for an environment file. */
  uses: readonly { title: string; text: string }[];
  onClose(): void;
};

/** A secret that the service shows once, until the person says that it is saved; with the lines of code that use it. */
export function SecretDialog({ title, label, secret, uses, onClose }: SecretProps) {
  const texts = useTexts(kitTexts).secret;
  return (
    <Dialog title={title} onClose={onClose} isWide isKept>
      <div class="secret-dialog">
        <p class="secret-once">
          <Icon name="warning" />
          {texts.once}
        </p>
        <div class="secret-line">
          <code class="secret">{secret}</code>
          <CopyButton text={secret} label={label} />
        </div>
        {uses.length > 0 && <Uses uses={uses} />}
        <div class="form-actions end">
          <button type="button" class="button" onClick={onClose}>
            {texts.saved}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

/** Lines that do the same in several languages; one of them is shown. */
export function Uses({ uses }: Pick<SecretProps, 'uses'>) {
  const texts = useTexts(kitTexts).secret;
  const [chosen, setChosen] = useState(uses[0]?.title ?? '');
  const shown = uses.find(({ title }) => title === chosen) ?? uses[0];
  return (
    <div class="uses">
      {uses.length > 1 && (
        <Segments
          label={texts.use}
          options={uses.map(({ title }) => ({ value: title, title }))}
          value={shown?.title ?? ''}
          onChoose={setChosen}
        />
      )}
      {shown !== undefined && <Command>{shown.text}</Command>}
    </div>
  );
}

import { useState } from 'preact/hooks';
import type { Me } from '../../../../../contract/manage/session.js';
import { Badge } from '../../../kit/badge.js';
import { Done } from '../../../kit/form/form.js';
import { useSession } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { Setting } from '../setting.js';
import { accountTexts } from '../texts.js';
import { RecoveryCodes } from './recovery-codes.js';
import { RemoveApp } from './remove-app.js';
import { BeginApp, ConfirmApp, type NewApp } from './set-up-app.js';

/** Where a person stands; secrets are here and nowhere else, and a reload forgets them. */
type Step =
  | { name: 'rest'; done?: 'turnedOn' | 'removed' }
  | { name: 'begin' }
  | { name: 'confirm'; app: NewApp }
  | { name: 'recovery'; codes: readonly string[] }
  | { name: 'remove' };

/** Turns the code at sign-in on and off. `onChanged` follows a change, which ends the other sessions. */
export function Totp({ onChanged }: { onChanged(): void }) {
  const { me, setMe } = useSession();
  const texts = useTexts(accountTexts);
  const [step, setStep] = useState<Step>({ name: 'rest' });
  const cancel = () => setStep({ name: 'rest' });
  const onStored = (hasTotp: boolean): void => {
    setMe(withTotp(me, hasTotp));
    onChanged();
  };
  return (
    <Setting title={texts.totp} note={texts.totpWhy}>
      {step.name === 'rest' && <Rest done={step.done && texts[step.done]} onStep={setStep} />}
      {step.name === 'begin' && (
        <BeginApp onCancel={cancel} onBegun={(app) => setStep({ name: 'confirm', app })} />
      )}
      {step.name === 'confirm' && (
        <ConfirmApp
          app={step.app}
          onCancel={cancel}
          onConfirmed={(codes) => {
            onStored(true);
            setStep({ name: 'recovery', codes });
          }}
        />
      )}
      {step.name === 'recovery' && (
        <RecoveryCodes codes={step.codes} onKept={() => setStep({ name: 'rest', done: 'turnedOn' })} />
      )}
      {step.name === 'remove' && (
        <RemoveApp
          onCancel={cancel}
          onRemoved={() => {
            onStored(false);
            setStep({ name: 'rest', done: 'removed' });
          }}
        />
      )}
    </Setting>
  );
}

function Rest({ done, onStep }: { done: string | undefined; onStep(step: Step): void }) {
  const { me } = useSession();
  const texts = useTexts(accountTexts);
  const isOn = me.caller.hasTotp === true;
  return (
    <div class="totp-rest">
      <p>
        <Badge tone={isOn ? 'good' : 'none'}>{isOn ? texts.totpOn : texts.totpOff}</Badge>{' '}
        {isOn ? texts.totpOnWhy : texts.totpOffWhy}
      </p>
      <div class="form-actions">
        <button
          type="button"
          class={isOn ? 'button small' : 'button'}
          onClick={() => onStep({ name: isOn ? 'remove' : 'begin' })}
        >
          {isOn ? texts.remove : texts.setUp}
        </button>
        <Done text={done} />
      </div>
    </div>
  );
}

function withTotp(me: Me, hasTotp: boolean): Me {
  return { ...me, caller: { ...me.caller, hasTotp } };
}

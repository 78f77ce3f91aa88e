import type { CreatedManagedKey } from '../../../../contract/manage/keys.js';
import { CopyButton } from '../../kit/copy-button.js';
import { SendError } from '../../kit/form/form.js';
import { Icon } from '../../kit/icons.js';
import { showNotice } from '../../kit/notice.js';
import { Uses } from '../../kit/secret.js';
import { kitTexts } from '../../kit/texts.js';
import { pagePath } from '../../reads/api-path.js';
import { fetchAnswer, sendJson } from '../../reads/fetch-json.js';
import { useSend } from '../../reads/use-send.js';
import { usePage, useSession } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { useTexts } from '../../texts.js';
import { usesOf } from '../keys/uses.js';
import { checklistTexts } from './checklist-texts.js';

export type KeyProps = {
  /** The key that was made here. */
  ingestKey: string | undefined;
  onKey(key: string): void;
};

/** Makes a key for services; the next step shows the lines that use it. `isAnother` where there is one already. */
export function MakeKey({ onKey, isAnother = false }: KeyProps & { isAnother?: boolean }) {
  const texts = useTexts(checklistTexts);
  const { slug } = usePage();
  const make = useSend(async () => {
    const body = { scope: 'ingest', name: texts.keyName };
    onKey((await sendJson<CreatedManagedKey>('POST', pagePath(slug, '/keys'), body)).key);
  });
  return (
    <>
      {make.error !== undefined && <SendError error={make.error} />}
      <p>
        <PermittedButton
          permission="keys.write"
          class={isAnother ? 'button small' : 'button'}
          isBusy={make.isSending}
          onClick={make.run}
        >
          {isAnother ? texts.otherKey : texts.actions.ingestKey}
        </PermittedButton>
      </p>
    </>
  );
}

/** The key that was made here, until the person has saved it. */
export function NewKey({ ingestKey, onSaved }: { ingestKey: string; onSaved(): void }) {
  const texts = useTexts(checklistTexts);
  const { saved } = useTexts(kitTexts).secret;
  return (
    <div class="checklist-key">
      <p class="secret-once">
        <Icon name="warning" />
        {texts.keyOnce}
      </p>
      <div class="secret-line">
        <code class="secret">{ingestKey}</code>
        <CopyButton text={ingestKey} label={texts.keyLabel} />
      </div>
      <button type="button" class="button small" onClick={onSaved}>
        {saved}
      </button>
    </div>
  );
}

const example = [{ service: 'first-service', endpoint: '/hello', status: 200, ms: 12.5 }];

/** The lines that send the first event, and a button that sends it from here. */
export function FirstEvent(props: KeyProps) {
  const { ingestKey } = props;
  const texts = useTexts(checklistTexts);
  const { slug } = usePage();
  const { baseUrl } = useSession();
  const send = useSend(async () => {
    await fetchAnswer('/api/v1/events', {
      method: 'POST',
      headers: { authorization: `Bearer ${ingestKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(example),
    });
    showNotice(texts.sent);
  });
  const { environment } = texts;
  const uses = usesOf({ scope: 'ingest', slug, baseUrl, key: ingestKey ?? 'key_ingest_…', environment });
  return (
    <>
      <Uses uses={uses} />
      {send.error !== undefined && <SendError error={send.error} />}
      {ingestKey === undefined ? (
        <MakeKey {...props} isAnother />
      ) : (
        <p>
          <button type="button" class="button" aria-disabled={send.isSending} onClick={send.run}>
            {texts.actions.event}
          </button>
        </p>
      )}
      <p class="step-waits note">{texts.waiting}</p>
    </>
  );
}

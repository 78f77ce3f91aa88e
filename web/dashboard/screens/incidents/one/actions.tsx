import { useState } from 'preact/hooks';
import type { ManagedIncident } from '../../../../../contract/manage/incidents/incidents.js';
import { useAddress } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { Confirm } from '../../../kit/form/confirm.js';
import { Icon } from '../../../kit/icons.js';
import { showNotice } from '../../../kit/notice.js';
import { sendForTag, sendJson } from '../../../reads/fetch-json.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { useAudience, usePeople } from '../audience.js';
import type { Opened } from './opened.js';
import { type OneTexts, oneTexts } from './texts.js';

/** Buttons that delete or reopen an incident. */
export function Actions(opened: Opened) {
  const texts = useTexts(oneTexts);
  const [asked, ask] = useState<'remove' | 'reopen'>();
  const { state } = opened.incident;
  const close = () => ask(undefined);
  return (
    <>
      {state === 'resolved' && (
        <PermittedButton permission="incidents.write" class="button small" onClick={() => ask('reopen')}>
          <Icon name="refresh" />
          {texts.reopen}
        </PermittedButton>
      )}
      <PermittedButton permission="incidents.write" class="button small" onClick={() => ask('remove')}>
        <Icon name="trash" />
        {texts.remove}
      </PermittedButton>
      {asked === 'remove' && <Remove {...opened} onClose={close} />}
      {asked === 'reopen' && <Reopen {...opened} onClose={close} />}
    </>
  );
}

type AskProps = Opened & { onClose(): void };

function Remove({ incident, path, onClose }: AskProps) {
  const texts = useTexts(oneTexts);
  const { count } = useFormat();
  const { choose } = useAddress();
  const confirm = async (): Promise<void> => {
    await sendJson('DELETE', path);
    showNotice(texts.removed);
    choose({ incident: undefined, language: undefined });
  };
  const updates = texts.updateCount({ count: incident.updates.length });
  const languages = texts.languageCount({ count: Object.keys(incident.texts).length });
  return (
    <Confirm
      title={texts.removeTitles[incident.type]}
      action={texts.remove}
      isDanger
      onConfirm={confirm}
      onClose={onClose}
    >
      <div class="confirm-words">
        <p>{texts.removeWhy({ updates, languages })}</p>
        {sentOf(incident, texts, count).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
    </Confirm>
  );
}

/** Returns sentences about sent messages, which stay, and waiting ones, which are dropped. */
function sentOf(
  { notifications: { emails, webhookDeliveries } }: ManagedIncident,
  texts: OneTexts,
  count: (value: number) => string,
): string[] {
  const sent = emails.delivered;
  const waiting = emails.pending + webhookDeliveries.pending;
  return [
    ...(sent > 0 ? [texts.removeSent({ count: sent, text: count(sent) })] : []),
    ...(waiting > 0 ? [texts.removeWaiting({ count: waiting, text: count(waiting) })] : []),
  ];
}

function Reopen({ incident, path, read, onClose }: AskProps) {
  const texts = useTexts(oneTexts);
  const people = usePeople(useAudience(`${incident.type}.reopened`));
  const confirm = async (): Promise<void> => {
    read.take(await sendForTag<ManagedIncident>('PATCH', path, { resolvedAt: null }, { ifMatch: read.etag }));
    showNotice(texts.reopened[incident.type]);
  };
  return (
    <Confirm
      title={texts.reopenTitles[incident.type]}
      action={texts.reopen}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{people === undefined ? texts.reopenNobody : texts.reopenWhy({ people })}</p>
    </Confirm>
  );
}

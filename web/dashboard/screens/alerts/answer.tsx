import { useState } from 'preact/hooks';
import { alertLimits, type ManagedAlert } from '../../../../contract/manage/alerts.js';
import { Dialog } from '../../kit/dialog.js';
import { TextField } from '../../kit/form/field.js';
import { Form, wordError } from '../../kit/form/form.js';
import { FormButtons } from '../../kit/form/form-buttons.js';
import { useForm } from '../../kit/form/use-form.js';
import { Icon } from '../../kit/icons.js';
import { showNotice } from '../../kit/notice.js';
import { kitTexts } from '../../kit/texts.js';
import { pagePath } from '../../reads/api-path.js';
import { ReadError, sendJson } from '../../reads/fetch-json.js';
import { useSend } from '../../reads/use-send.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { alertsTexts } from './texts.js';

type Answering = { alert: Pick<ManagedAlert, 'id'>; onChange(): void };

/** Makes the function that takes an acknowledgement back, from a notice as well. */
export function useGiveBack({ alert, onChange }: Answering): () => Promise<void> {
  const texts = useTexts(alertsTexts);
  const kit = useTexts(kitTexts);
  const { slug } = usePage();
  return async () => {
    try {
      await sendJson('POST', pagePath(slug, `/alerts/${alert.id}/unacknowledge`));
      showNotice(texts.givenBack);
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      showNotice(wordError(error, kit));
    }
    onChange();
  };
}

type NowProps = Answering & { title: string };

/** Acknowledges an alert with one press, which can be taken back. */
export function AcknowledgeNow({ alert, title, onChange }: NowProps) {
  const texts = useTexts(alertsTexts);
  const kit = useTexts(kitTexts);
  const { slug } = usePage();
  const giveBack = useGiveBack({ alert, onChange });
  const send = useSend(async () => {
    await sendJson('POST', pagePath(slug, `/alerts/${alert.id}/acknowledge`));
    showNotice(texts.acknowledgedNow, () => void giveBack());
    onChange();
  });
  return (
    <>
      <button
        type="button"
        class="button small"
        aria-label={texts.acknowledgeOf({ title })}
        aria-disabled={send.isSending}
        onClick={() => send.run()}
      >
        <Icon name="check" />
        {texts.acknowledge}
      </button>
      {send.error !== undefined && (
        <p class="field-error" role="alert">
          {wordError(send.error, kit)}
        </p>
      )}
    </>
  );
}

type DialogProps = {
  alert: Pick<ManagedAlert, 'id' | 'state' | 'note'>;
  verb: 'acknowledge' | 'resolve';
  onChange(): void;
  onClose(): void;
};

/** Acknowledges or resolves an alert, with a note for others. */
export function AnswerDialog({ alert, verb, onChange, onClose }: DialogProps) {
  const texts = useTexts(alertsTexts);
  const { slug } = usePage();
  const giveBack = useGiveBack({ alert, onChange });
  const isNew = alert.state !== 'acknowledged';
  const form = useForm({
    initial: { note: alert.note ?? '' },
    keptAs: `${verb} ${alert.id}`,
    async send({ note }) {
      await sendJson('POST', pagePath(slug, `/alerts/${alert.id}/${verb}`), note === '' ? {} : { note });
      if (verb === 'resolve') showNotice(texts.resolvedNow);
      else showNotice(texts.acknowledgedNow, isNew ? () => void giveBack() : undefined);
      onChange();
      onClose();
    },
  });
  const title = {
    acknowledge: isNew ? texts.acknowledgeTitle : texts.changeNote,
    resolve: texts.resolveTitle,
  }[verb];
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        form={form}
        actions={
          <FormButtons
            form={form}
            action={verb === 'acknowledge' && !isNew ? texts.changeNote : texts[verb]}
            onClose={onClose}
          />
        }
      >
        <p>{verb === 'resolve' ? texts.resolveWhy : texts.acknowledgeWhy}</p>
        <TextField
          label={texts.note}
          hint={texts.noteWhy}
          input={{ dir: 'auto', maxLength: alertLimits.noteChars, autocomplete: 'off', class: 'wide' }}
          {...form.field('note')}
        />
      </Form>
    </Dialog>
  );
}

/** Which of the dialogs is open. */
export function useAsked<Question extends string>() {
  const [asked, ask] = useState<Question>();
  return { asked, ask, close: () => ask(undefined) };
}

import { useState } from 'preact/hooks';
import { type ContactWay, contactWayLimits } from '../../../../../contract/manage/contact-ways.js';
import { Dialog } from '../../../kit/dialog.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { TextField } from '../../../kit/form/field.js';
import { Form } from '../../../kit/form/form.js';
import { FormButtons, SubmitButton } from '../../../kit/form/form-buttons.js';
import { useEditor } from '../../../kit/form/use-editor.js';
import { useForm } from '../../../kit/form/use-form.js';
import { showNotice } from '../../../kit/notice.js';
import { ReadView } from '../../../kit/states.js';
import { kitTexts } from '../../../kit/texts.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { useSend } from '../../../reads/use-send.js';
import { useSession } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import {
  bodyOf,
  changesOf,
  checkWay,
  explainWay,
  newWay,
  secretFields,
  valuesOf,
  type WayValues,
} from './fields.js';
import { waysTexts } from './texts.js';
import { labelOf, WayFields } from './way-fields.js';

export const waysPath = '/api/v1/me/contact-ways';

type AddProps = { onClose(): void; onCreated(way: ContactWay): void };

/** The form of a new way. No browser keeps its secrets. */
export function AddWay({ onClose, onCreated }: AddProps) {
  const texts = useTexts(waysTexts);
  const { wayKinds } = useSession();
  const form = useForm<WayValues>({
    initial: newWay(wayKinds[0] ?? 'ntfy'),
    keptAs: 'new contact way',
    unkept: secretFields,
    check: (values) => checkWay(values, texts, true),
    async send(values) {
      onCreated(await sendJson<ContactWay>('POST', waysPath, bodyOf(values)));
    },
    explain: explainWay,
  });
  return (
    <Dialog title={texts.addTitle} onClose={onClose}>
      <Form form={form} actions={<FormButtons form={form} action={texts.create} onClose={onClose} />}>
        <WayFields form={form} isNew />
      </Form>
    </Dialog>
  );
}

type EditProps = { id: string; onClose(): void; onSaved(way: ContactWay): void };

/** Changes a way. A secret that is left empty stays. */
export function EditWay({ id, ...props }: EditProps) {
  const texts = useTexts(waysTexts);
  const read = useRead<ContactWay>(`${waysPath}/${id}`);
  if (read.data === undefined) {
    return (
      <Dialog title={texts.edit} onClose={props.onClose}>
        <ReadView read={read}>{() => null}</ReadView>
      </Dialog>
    );
  }
  return <EditForm way={read.data} read={read} {...props} />;
}

type EditFormProps = Omit<EditProps, 'id'> & { way: ContactWay; read: Read<ContactWay> };

function EditForm({ way, read, onClose, onSaved }: EditFormProps) {
  const texts = useTexts(waysTexts);
  const kit = useTexts(kitTexts);
  const editor = useEditor<ContactWay, WayValues>({
    ...{ path: `${waysPath}/${way.id}`, read, saved: way, valuesOf, bodyOf: changesOf },
    keptAs: `contact way ${way.id}`,
    unkept: secretFields,
    check: (values) => checkWay(values, texts, false),
    explain: explainWay,
    onSaved(saved) {
      showNotice(kit.saved);
      onSaved(saved);
    },
  });
  const settings = (['to', 'server', 'chat', ...secretFields] as const).map((field) => [
    field,
    labelOf(field, way.kind, texts),
  ]);
  if (editor.conflict !== undefined) {
    const labels: Record<keyof WayValues, string> = {
      ...(Object.fromEntries(settings) as Record<
        (typeof secretFields)[number] | 'to' | 'server' | 'chat',
        string
      >), // Made of these names.
      ...{ kind: texts.kind, name: texts.name, severities: texts.severities, isQuiet: texts.quiet },
      ...{ quietFrom: texts.quietFrom, quietTo: texts.quietTo, timeZone: texts.zone },
    };
    return <ConflictDialog editor={editor} labels={labels} />;
  }
  return (
    <Dialog title={texts.edit} onClose={onClose}>
      <Form
        form={editor}
        actions={
          <SubmitButton form={editor} needsChange>
            {kit.save}
          </SubmitButton>
        }
      >
        <WayFields form={editor} isNew={false} />
      </Form>
    </Dialog>
  );
}

type ConfirmProps = { way: ContactWay; onClose(): void; onConfirmed(): void };

/** Asks for the code that was sent to an email or a phone. */
export function ConfirmWay({ way, onClose, onConfirmed }: ConfirmProps) {
  const texts = useTexts(waysTexts);
  const [state, setState] = useState(way.confirmation);
  const path = `${waysPath}/${way.id}/confirm`;
  const form = useForm({
    initial: { code: '' },
    required: ['code'],
    async send({ code }) {
      await sendJson<ContactWay>('POST', path, { code: code.trim() });
      showNotice(texts.confirmed);
      onConfirmed();
    },
    explain: ({ status, message }) => (status === 400 || status === 409 ? { code: message } : undefined),
  });
  const again = useSend(async () => {
    setState((await sendJson<ContactWay>('POST', path)).confirmation);
    form.discard();
    showNotice(texts.codeSent);
  });
  return (
    <Dialog title={texts.confirmTitle} onClose={onClose}>
      <Form
        form={{ ...form, error: form.error ?? again.error }}
        actions={
          <>
            <SubmitButton form={form}>{texts.confirm}</SubmitButton>
            <button type="button" class="button small" aria-disabled={again.isSending} onClick={again.run}>
              {texts.sendAgain}
            </button>
          </>
        }
      >
        <p>{texts.confirmWhy({ address: way.address, minutes: contactWayLimits.codeMinutes })}</p>
        {state?.failed != null && <p class="field-error">{texts.codeFailed({ reason: state.failed })}</p>}
        <TextField
          label={texts.code}
          {...form.field('code')}
          input={{ autocomplete: 'one-time-code', inputMode: 'numeric', maxLength: 20, class: 'code-input' }}
        />
      </Form>
    </Dialog>
  );
}

import type { ManagedWebhook } from '../../../../../contract/manage/webhooks.js';
import { Dialog } from '../../../kit/dialog.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { TextField } from '../../../kit/form/field.js';
import { Form } from '../../../kit/form/form.js';
import { SubmitButton } from '../../../kit/form/form-buttons.js';
import { useEditor } from '../../../kit/form/use-editor.js';
import { showNotice } from '../../../kit/notice.js';
import { kitTexts } from '../../../kit/texts.js';
import { pagePath } from '../../../reads/api-path.js';
import type { Read } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { EventFields } from '../event-fields.js';
import { wordEvent } from '../events.js';
import { checkWebhook, type WebhookFields } from '../fields.js';
import { webhooksTexts } from '../texts.js';

type EditProps = { webhook: ManagedWebhook; read: Read<ManagedWebhook>; onClose(): void };

/** Changes the URL and the events of a webhook. */
export function EditWebhook({ webhook, read, onClose }: EditProps) {
  const { slug } = usePage();
  const texts = useTexts(webhooksTexts);
  const kit = useTexts(kitTexts);
  const editor = useEditor<ManagedWebhook, WebhookFields>({
    path: pagePath(slug, `/webhooks/${webhook.id}`),
    read,
    saved: webhook,
    valuesOf: ({ url, events }) => ({ url, isEvery: events === null, events: events ?? [] }),
    bodyOf: (changes, { url, isEvery, events }) => ({
      ...('url' in changes && { url: url.trim() }),
      ...(('isEvery' in changes || 'events' in changes) && { events: isEvery ? null : events }),
    }),
    keptAs: `webhook ${webhook.id}`,
    unkept: ['url'],
    required: ['url'],
    check: (values) => checkWebhook(values, texts),
    onSaved() {
      showNotice(kit.saved);
      onClose();
    },
  });
  const { values } = editor;
  if (editor.conflict !== undefined) {
    return (
      <ConflictDialog
        editor={editor}
        labels={{ url: texts.url, isEvery: texts.everyEvent, events: texts.events }}
        textOf={(field, value) => wordField(field, value)}
      />
    );
  }
  return (
    <Dialog title={texts.edit} onClose={onClose}>
      <Form
        form={editor}
        actions={
          <SubmitButton form={editor} needsChange>
            {texts.save}
          </SubmitButton>
        }
      >
        <TextField
          label={texts.url}
          hint={texts.urlWhy}
          {...editor.field('url')}
          input={{ autocomplete: 'off', inputMode: 'url', spellcheck: false }}
        />
        <EventFields
          isEvery={values.isEvery}
          onEvery={editor.set('isEvery')}
          chosen={values.events}
          onChoose={editor.set('events')}
          error={editor.errors['events']}
        />
      </Form>
    </Dialog>
  );

  function wordField(field: string, value: string | boolean | string[]): string {
    if (field === 'url') return String(value);
    if (Array.isArray(value)) return value.map((name) => wordEvent(name, texts)).join(', ');
    return value === true ? texts.everyEvent : texts.events;
  }
}

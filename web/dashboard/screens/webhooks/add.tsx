import type { ManagedWebhookWithSecret } from '../../../../contract/manage/webhooks.js';
import { Dialog } from '../../kit/dialog.js';
import { TextField } from '../../kit/form/field.js';
import { Form } from '../../kit/form/form.js';
import { SubmitButton } from '../../kit/form/form-buttons.js';
import { useForm } from '../../kit/form/use-form.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { EventFields } from './event-fields.js';
import { checkWebhook, type WebhookFields } from './fields.js';
import { webhooksTexts } from './texts.js';

type AddProps = { onClose(): void; onCreated(webhook: ManagedWebhookWithSecret): void };

/** The form of a new webhook. Its URL may be a secret, so that no browser keeps it. */
export function AddWebhook({ onClose, onCreated }: AddProps) {
  const texts = useTexts(webhooksTexts);
  const { slug } = usePage();
  const form = useForm<WebhookFields>({
    initial: { url: '', isEvery: true, events: [] },
    keptAs: 'new webhook',
    unkept: ['url'],
    required: ['url'],
    check: (values) => checkWebhook(values, texts),
    async send({ url, isEvery, events }) {
      const body = { url: url.trim(), events: isEvery ? null : events };
      onCreated(await sendJson<ManagedWebhookWithSecret>('POST', pagePath(slug, '/webhooks'), body));
    },
  });
  return (
    <Dialog title={texts.addTitle} onClose={onClose}>
      <Form form={form} actions={<SubmitButton form={form}>{texts.create}</SubmitButton>}>
        <TextField
          label={texts.url}
          hint={texts.urlWhy}
          {...form.field('url')}
          input={{ autocomplete: 'off', inputMode: 'url', spellcheck: false, placeholder: 'https://' }}
        />
        <EventFields
          isEvery={form.values.isEvery}
          onEvery={form.set('isEvery')}
          chosen={form.values.events}
          onChoose={form.set('events')}
          error={form.errors['events']}
        />
      </Form>
    </Dialog>
  );
}

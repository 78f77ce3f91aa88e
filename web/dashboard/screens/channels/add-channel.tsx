import { channelNames } from '../../../../contract/channels.js';
import type { ManagedChannel } from '../../../../contract/manage/channels.js';
import { Dialog } from '../../kit/dialog.js';
import { Form } from '../../kit/form/form.js';
import { SubmitButton } from '../../kit/form/form-buttons.js';
import { useForm } from '../../kit/form/use-form.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { ChannelFields } from './channel-fields.js';
import {
  type ChannelValues,
  checkChannel,
  explainChannel,
  newChannel,
  quietHoursOf,
  settingsOf,
  topicsOf,
} from './fields.js';
import { channelsTexts } from './texts.js';

type AddProps = { onClose(): void; onCreated(channel: ManagedChannel): void };

/** The form of a new channel. No browser keeps its secrets. */
export function AddChannel({ onClose, onCreated }: AddProps) {
  const texts = useTexts(channelsTexts);
  const { slug } = usePage();
  const form = useForm<ChannelValues>({
    initial: newChannel,
    keptAs: 'new channel',
    unkept: ['url', 'topic', 'token', 'user', 'routingKey', 'apiKey', 'secret'],
    check: (values) => checkChannel(values, texts, true),
    async send(values) {
      const { kind } = values;
      const body = {
        ...{ kind, name: values.name.trim() || channelNames[kind], settings: settingsOf(values) },
        ...{ topics: topicsOf(values), quietHours: quietHoursOf(values) },
      };
      onCreated(await sendJson<ManagedChannel>('POST', pagePath(slug, '/channels'), body));
    },
    explain: explainChannel,
  });
  return (
    <Dialog title={texts.addTitle} onClose={onClose}>
      <Form form={form} actions={<SubmitButton form={form}>{texts.create}</SubmitButton>}>
        <ChannelFields form={form} isNew />
      </Form>
    </Dialog>
  );
}

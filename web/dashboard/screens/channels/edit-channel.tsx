import { channelNames } from '../../../../contract/channels.js';
import type { ManagedChannel } from '../../../../contract/manage/channels.js';
import { Dialog } from '../../kit/dialog.js';
import { ConflictDialog } from '../../kit/form/conflict.js';
import { Form } from '../../kit/form/form.js';
import { SubmitButton } from '../../kit/form/form-buttons.js';
import { useEditor } from '../../kit/form/use-editor.js';
import { showNotice } from '../../kit/notice.js';
import { kitTexts } from '../../kit/texts.js';
import { pagePath } from '../../reads/api-path.js';
import type { Read } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { ChannelFields, tokenLabel } from './channel-fields.js';
import {
  type ChannelValues,
  changedSettings,
  checkChannel,
  explainChannel,
  quietHoursOf,
  topicsOf,
  valuesOf,
} from './fields.js';
import { type ChannelsTexts, channelsTexts } from './texts.js';

type EditProps = { channel: ManagedChannel; read: Read<ManagedChannel>; onClose(): void };

/** Changes a channel. A secret that is left empty stays. */
export function EditChannel({ channel, read, onClose }: EditProps) {
  const { slug } = usePage();
  const texts = useTexts(channelsTexts);
  const kit = useTexts(kitTexts);
  const editor = useEditor<ManagedChannel, ChannelValues>({
    path: pagePath(slug, `/channels/${channel.id}`),
    read,
    saved: channel,
    valuesOf,
    bodyOf(changes, values) {
      const settings = changedSettings(changes, values);
      return {
        ...('name' in changes && { name: values.name.trim() || channelNames[values.kind] }),
        ...(settings !== undefined && { settings }),
        ...(('isEvery' in changes || 'topics' in changes) && { topics: topicsOf(values) }),
        ...(('isQuiet' in changes || 'quietFrom' in changes || 'quietTo' in changes) && {
          quietHours: quietHoursOf(values),
        }),
      };
    },
    keptAs: `channel ${channel.id}`,
    unkept: ['url', 'topic', 'token', 'user', 'routingKey', 'apiKey', 'secret'],
    check: (values) => checkChannel(values, texts, false),
    explain: explainChannel,
    onSaved() {
      showNotice(kit.saved);
      onClose();
    },
  });
  if (editor.conflict !== undefined) {
    return (
      <ConflictDialog
        editor={editor}
        labels={labelsOf(channel, texts)}
        textOf={(_, value) => String(value)}
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
        <ChannelFields form={editor} isNew={false} />
      </Form>
    </Dialog>
  );
}

function labelsOf({ kind }: ManagedChannel, texts: ChannelsTexts): Record<keyof ChannelValues, string> {
  return {
    ...{ kind: texts.kind, name: texts.name, isEvery: texts.tellEverything, topics: texts.topics },
    ...{ isQuiet: texts.quietHours, quietFrom: texts.from, quietTo: texts.to },
    ...texts.settings,
    token: tokenLabel(kind, texts),
  };
}

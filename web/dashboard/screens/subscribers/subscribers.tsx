import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { showNotice } from '../../kit/notice.js';
import { Tabs } from '../../kit/tabs.js';
import { NoMailNote } from '../../shell/no-mail.js';
import { Screen } from '../../shell/screen.js';
import { useTexts } from '../../texts.js';
import { AddButton } from './add.js';
import { ChatList } from './chat-list.js';
import { chatTexts } from './chat-texts.js';
import { EmailLog } from './email-log.js';
import { ImportView } from './import/import-view.js';
import { importTexts } from './import/texts.js';
import { useImport } from './import/use-import.js';
import { AddressList } from './list.js';
import { useSubscribersTexts } from './use-subscribers-texts.js';

const views = ['list', 'chats', 'import', 'emails'] as const;

/** Who gets email or messages in a chat, and what became of each email; the address says which of them. */
export default function Subscribers() {
  const { query } = useAddress();
  const texts = useSubscribersTexts();
  const { left } = useTexts(importTexts);
  const { chats } = useTexts(chatTexts);
  const format = useFormat();
  const current = views.find((view) => view === query['view']) ?? 'list';
  // It goes on while somebody looks at the addresses.
  const importing = useImport((done, all) =>
    showNotice(left({ done: format.count(done), all: format.count(all) })),
  );
  const { state, rows } = importing;
  const progress = state?.isRunning === true ? format.share(state.done / rows.length) : undefined;
  return (
    <Screen title={texts.subscribers} actions={<AddButton />}>
      <NoMailNote />
      <Tabs
        label={texts.parts}
        parameter="view"
        current={current}
        tabs={views.map((key) => ({
          key,
          title: key === 'chats' ? chats : texts[key],
          count: key === 'import' ? progress : undefined,
        }))}
      />
      {current === 'list' && <AddressList />}
      {current === 'chats' && <ChatList />}
      {current === 'import' && <ImportView {...importing} />}
      {current === 'emails' && <EmailLog />}
    </Screen>
  );
}

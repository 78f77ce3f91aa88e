import { useAddress } from '../../address/use-address.js';
import { Tabs } from '../../kit/tabs.js';
import { Screen } from '../../shell/screen.js';
import { useTexts } from '../../texts.js';
import { AddButton } from './add.js';
import { EmailLog } from './email-log.js';
import { ImportView } from './import/import-view.js';
import { AddressList } from './list.js';
import { subscribersTexts } from './texts.js';

const views = ['list', 'import', 'emails'] as const;

/** Who gets email, and what became of each email; the address says which of them. */
export default function Subscribers() {
  const { query } = useAddress();
  const texts = useTexts(subscribersTexts);
  const current = views.find((view) => view === query['view']) ?? 'list';
  return (
    <Screen title={texts.subscribers} actions={<AddButton />}>
      <Tabs
        label={texts.parts}
        parameter="view"
        current={current}
        tabs={views.map((key) => ({ key, title: texts[key] }))}
      />
      {current === 'list' && <AddressList />}
      {current === 'import' && <ImportView />}
      {current === 'emails' && <EmailLog />}
    </Screen>
  );
}

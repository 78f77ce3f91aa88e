import { useState } from 'preact/hooks';
import type { ManagedEventStore } from '../../../../contract/manage/event-store.js';
import { useAddress } from '../../address/use-address.js';
import { Panel } from '../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import { pagePath } from '../../reads/api-path.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { Backlog } from './backlog.js';
import { FirstStore, OwnStore } from './store-form.js';
import { eventStoreTexts } from './texts.js';

const pollMs = 15_000;
/** While batches are delivered again, and somebody waits for the end. */
const watchMs = 2_000;

/** Where the events of the page are kept. */
export default function EventStore() {
  const { screens } = useTexts(shellTexts);
  const { slug } = usePage();
  const [isWatched, setWatched] = useState(false);
  const path = pagePath(slug, '/event-store');
  const read = useRead<ManagedEventStore>(path, { everyMs: isWatched ? watchMs : pollMs });
  // A page without a store of its own has none to read. One that was removed elsewhere is gone as well.
  const isUsual = read.error?.status === 404;
  return (
    <Screen title={screens['event-store']}>
      {isUsual ? <Usual path={path} read={read} /> : <Own {...{ path, read, setWatched }} />}
    </Screen>
  );
}

type PartProps = { path: string; read: Read<ManagedEventStore> };

function Usual({ path, read }: PartProps) {
  const texts = useTexts(eventStoreTexts);
  const { query, choose } = useAddress();
  return (
    <Panel title={texts.own}>
      {query['new'] === 'store' ? (
        <FirstStore path={path} onSet={read.retry} onClose={() => choose({ new: undefined })} />
      ) : (
        <Empty title={texts.usual}>
          <p>{texts.usualWhy}</p>
          <PermittedButton permission="store.write" onClick={() => choose({ new: 'store' })}>
            {texts.setUp}
          </PermittedButton>
        </Empty>
      )}
    </Panel>
  );
}

function Own({ path, read, setWatched }: PartProps & { setWatched(isWatched: boolean): void }) {
  const texts = useTexts(eventStoreTexts);
  return (
    <>
      <Panel title={texts.backlog} note={texts.backlogWhy}>
        <ReadView read={read} skeleton={<Skeleton lines={3} />}>
          {({ backlog }) => <Backlog {...{ path, backlog, setWatched }} onChanged={read.retry} />}
        </ReadView>
      </Panel>
      <Panel title={texts.own} note={texts.ownWhy}>
        <ReadView read={read} skeleton={<Skeleton lines={8} />}>
          {(saved) => <OwnStore {...{ path, read, saved }} />}
        </ReadView>
      </Panel>
    </>
  );
}

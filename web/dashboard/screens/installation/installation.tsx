import type { Installation as State } from '../../../../contract/manage/installation.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { useSession } from '../../session.js';
import { NoMailNote } from '../../shell/no-mail.js';
import { NoScreen } from '../../shell/no-screen.js';
import { Screen } from '../../shell/screen.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { Backlogs } from './backlogs.js';
import { Health } from './health.js';
import { Instances } from './instances.js';
import { Jobs } from './jobs.js';
import { Mail } from './mail.js';
import { Pages } from './pages.js';
import { PrivateAddresses } from './private-addresses.js';
import { Users } from './users.js';

const pollMs = 10_000;

/** For those who run the installation; for others there is no such screen. */
export default function Installation() {
  const { me } = useSession();
  return me.admin ? <InstallationScreen /> : <NoScreen />;
}

function InstallationScreen() {
  const texts = useTexts(shellTexts);
  const read = useRead<State>('/api/v1/installation', { everyMs: pollMs });
  return (
    <Screen title={texts.installation}>
      <NoMailNote />
      <ReadView read={read} skeleton={<Skeleton height={420} />}>
        {(state) => <Parts state={state} read={read} />}
      </ReadView>
      <Mail />
      <div class="split">
        <Pages />
        <Users />
      </div>
    </Screen>
  );
}

function Parts({ state, read }: { state: State; read: Read<State> }) {
  return (
    <div class="installation">
      <Health state={state} />
      <div class="split">
        <Instances instances={state.instances} />
        <Backlogs backlogs={state.backlogs} />
      </div>
      <PrivateAddresses />
      <Jobs jobs={state.jobs} onRun={read.retry} />
    </div>
  );
}

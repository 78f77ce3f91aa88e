import { Command } from '../../kit/command.js';
import { Panel } from '../../kit/panel.js';
import { Empty } from '../../kit/states.js';
import { usePage, useSession } from '../../session.js';
import { useTexts } from '../../texts.js';
import { observationCommand } from './commands.js';
import { databasesTexts } from './texts.js';

/** Says why the page takes no reports; `status` is the HTTP status of the answer. */
export function SwitchedOff({ status }: { status: number }) {
  const texts = useTexts(databasesTexts);
  const { slug } = usePage();
  const { commandName } = useSession();
  const isUnavailable = status === 403;
  const setting = isUnavailable ? '--capability database-health=on' : '--database-health on';
  return (
    <Panel title={texts.subject}>
      <Empty title={isUnavailable ? texts.unavailable : texts.off}>
        <p>{isUnavailable ? texts.unavailableWhy : texts.offWhy}</p>
        <Command>{`${commandName} page set ${slug} ${setting}`}</Command>
        {!isUnavailable && <p>{texts.offThen}</p>}
      </Empty>
    </Panel>
  );
}

/** Says how to send the first report. */
export function NothingYet() {
  const texts = useTexts(databasesTexts);
  const { baseUrl } = useSession();
  return (
    <Panel title={texts.subject}>
      <Empty title={texts.empty}>
        <p>{texts.emptyWhy}</p>
        <Command>{observationCommand(baseUrl)}</Command>
        <p>{texts.emptyPools}</p>
      </Empty>
    </Panel>
  );
}

import { useEffect, useRef } from 'preact/hooks';
import type { PrivateAddressState } from '../../../../contract/manage/installation.js';
import { Switch } from '../../kit/form/choices.js';
import { Done, SendError } from '../../kit/form/form.js';
import { Panel } from '../../kit/panel.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import { sendForTag } from '../../reads/fetch-json.js';
import { useRead } from '../../reads/use-read.js';
import { useSend } from '../../reads/use-send.js';
import { useTexts } from '../../texts.js';
import { installationTexts } from './texts.js';

const path = '/api/v1/installation/private-addresses';
/** Where the form of a monitor leads whose address was refused. */
const anchor = 'private-addresses';

/** Whether what pages watch and call may be in the network of the installation. */
export function PrivateAddresses() {
  const texts = useTexts(installationTexts).privateAddresses;
  const read = useRead<PrivateAddressState>(path);
  const { run, isSending, error } = useSend(async (allowed: boolean) => {
    read.take(await sendForTag<PrivateAddressState>('PATCH', path, { allowed }));
  });
  const place = useRef<HTMLDivElement>(null);
  const isRead = read.data !== undefined;
  useEffect(() => {
    if (isRead && location.hash === `#${anchor}`) place.current?.scrollIntoView({ block: 'center' });
  }, [isRead]);
  return (
    <div id={anchor} ref={place}>
      <Panel
        title={texts.title}
        note={texts.why}
        actions={<Done text={isSending ? texts.saving : undefined} />}
      >
        <ReadView read={read} skeleton={<Skeleton height={64} />}>
          {({ allowed, decidedBy }) => (
            <div class="form">
              <Switch
                label={texts.allow}
                hint={texts.decidedBy[decidedBy]}
                isOn={allowed}
                onSwitch={run}
                isDisabled={isSending || decidedBy === 'environment'}
              />
              <p class="note">{texts.metadata}</p>
              {error !== undefined && <SendError error={error} />}
            </div>
          )}
        </ReadView>
      </Panel>
    </div>
  );
}

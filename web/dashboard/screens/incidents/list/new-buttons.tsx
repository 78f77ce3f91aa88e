import { useAddress } from '../../../address/use-address.js';
import { Icon } from '../../../kit/icons.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { incidentsTexts } from '../texts.js';

/** Opens an incident, or plans maintenance. */
export function NewButtons() {
  const texts = useTexts(incidentsTexts);
  const { choose } = useAddress();
  const compose = (kind: string) => () =>
    choose({ new: kind, view: undefined, template: undefined, state: undefined, type: undefined });
  return (
    <>
      <PermittedButton permission="incidents.write" class="button small" onClick={compose('maintenance')}>
        {texts.newMaintenance}
      </PermittedButton>
      <PermittedButton permission="incidents.write" class="button small main" onClick={compose('incident')}>
        <Icon name="plus" />
        {texts.newIncident}
      </PermittedButton>
    </>
  );
}

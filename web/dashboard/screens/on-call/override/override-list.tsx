import type { ManagedSchedule } from '../../../../../contract/manage/schedules.js';
import { SendError } from '../../../kit/form/form.js';
import { Panel } from '../../../kit/panel.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { Person } from '../person.js';
import { onCallTexts } from '../texts.js';
import { useZoneTimes } from '../use-zone-times.js';
import type { Overrides } from './use-overrides.js';

type ListProps = {
  schedule: ManagedSchedule;
  colourOf(email: string): string;
  overrides: Overrides;
};

/** The overrides that have not ended. */
export function OverrideList({ schedule, colourOf, overrides: { remove } }: ListProps) {
  const texts = useTexts(onCallTexts);
  const times = useZoneTimes(schedule.timeZone);
  return (
    <Panel title={texts.overrides} note={texts.overridesWhy}>
      {remove.error !== undefined && <SendError error={remove.error} />}
      {schedule.overrides.length === 0 ? (
        <p class="note">{texts.noOverrides}</p>
      ) : (
        <ul class="on-call-agenda narrow">
          {schedule.overrides.map((override) => {
            const { id, person, from, to } = override;
            const when = times.span(Date.parse(from), Date.parse(to));
            return (
              <li key={id}>
                <span class="on-call-when">{when}</span>
                <span class="on-call-who">
                  <Person person={person} colour={colourOf(person.email)} />
                </span>
                <PermittedButton
                  permission="alerts.acknowledge"
                  class="button small"
                  label={texts.removeOverrideOf({ name: person.name, when })}
                  isBusy={remove.isSending}
                  onClick={() => remove.run(override)}
                >
                  {texts.removeOverride}
                </PermittedButton>
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
}

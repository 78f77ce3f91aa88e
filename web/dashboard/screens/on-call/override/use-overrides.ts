import type { ScheduleOverride } from '../../../../../contract/manage/schedules.js';
import { showNotice } from '../../../kit/notice.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { unlessGone } from '../../../reads/refusals.js';
import { type Send, useSend } from '../../../reads/use-send.js';
import { useTexts } from '../../../texts.js';
import { onCallTexts } from '../texts.js';
import { useZoneTimes } from '../use-zone-times.js';

type Fields = { person: string; from: string; to: string };

/** Adds and takes away overrides; a notice undoes either. */
export type Overrides = {
  /** @throws ReadError */
  add(fields: Fields): Promise<ScheduleOverride>;
  remove: Send<[ScheduleOverride]>;
};

/**
 * @param path of the schedule in the management API
 * @param onChanged reads what is drawn again
 */
export function useOverrides(path: string, zone: string, onChanged: () => void): Overrides {
  const texts = useTexts(onCallTexts);
  const times = useZoneTimes(zone);
  const say = ({ person, from, to }: ScheduleOverride) => ({
    name: person.name,
    when: times.span(Date.parse(from), Date.parse(to)),
  });
  const post = (fields: Fields) => sendJson<ScheduleOverride>('POST', `${path}/overrides`, fields);
  const drop = ({ id }: ScheduleOverride) => sendJson('DELETE', `${path}/overrides/${id}`).catch(unlessGone);
  /** Makes a change from a notice, which has no place for an error but another notice. */
  const quietly = (change: Promise<unknown>, done: string): void => {
    change
      .then(
        () => showNotice(done),
        () => showNotice(texts.notUndone),
      )
      .finally(onChanged);
  };
  const remove = useSend(async (override: ScheduleOverride) => {
    await drop(override);
    onChanged();
    const { person, from, to } = override;
    showNotice(texts.overrideRemoved(say(override)), () =>
      quietly(post({ person: person.email, from, to }), texts.covers(say(override))),
    );
  });
  return {
    async add(fields) {
      const added = await post(fields);
      onChanged();
      showNotice(texts.covers(say(added)), () => quietly(drop(added), texts.overrideRemoved(say(added))));
      return added;
    },
    remove,
  };
}

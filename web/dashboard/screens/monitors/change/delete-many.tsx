import { useFormat } from '../../../format.js';
import { Confirm } from '../../../kit/form/confirm.js';
import { useTexts } from '../../../texts.js';
import type { ListedMonitor } from '../columns.js';
import { changeTexts } from './texts.js';

/** More names say no more. */
export const namesMax = 8;

type DeleteManyProps = { monitors: readonly ListedMonitor[]; onConfirm(): void; onClose(): void };

/** Asks before monitors are deleted, and names them. */
export function DeleteMany({ monitors, onConfirm, onClose }: DeleteManyProps) {
  const texts = useTexts(changeTexts);
  const { count } = useFormat();
  const [first] = monitors;
  const only = monitors.length === 1 ? first : undefined;
  return (
    <Confirm
      title={
        only === undefined
          ? texts.deleteTitleMany({ count: count(monitors.length) })
          : texts.deleteTitle({ name: only.name })
      }
      action={texts.delete}
      isDanger
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {only === undefined && (
        <ul class="plain-list">
          {monitors.slice(0, namesMax).map(({ slug, name }) => (
            <li key={slug} dir="auto">
              {name}
            </li>
          ))}
          {monitors.length > namesMax && (
            <li>{texts.andMore({ count: count(monitors.length - namesMax) })}</li>
          )}
        </ul>
      )}
      <p>{only === undefined ? texts.deleteWhyMany : texts.deleteWhy}</p>
      {monitors.some(({ type }) => type === 'heartbeat') && <p>{texts.deleteHeartbeat}</p>}
    </Confirm>
  );
}

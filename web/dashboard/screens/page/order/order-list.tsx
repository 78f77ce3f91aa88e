import { useState } from 'preact/hooks';
import { Icon } from '../../../kit/icons.js';
import { useTexts } from '../../../texts.js';
import { type Items, type Place, stepOf } from './moves.js';
import { orderTexts } from './texts.js';

/** Names monitors and groups. */
export type Naming = { monitor(slug: string): string; group(slug: string | null): string };

type ListProps = {
  items: Items;
  item: Items[number];
  naming: Naming;
  /** Without it, people may only look. */
  onMove: ((slug: string, place: Place, from?: 'up' | 'down' | 'group') => void) | undefined;
  dragged: string | undefined;
  onDrag(slug: string | undefined): void;
};

/** The monitors of a group, which people move with buttons, to a group, or by dragging. */
export function MonitorList({ item: { group, monitors }, ...list }: ListProps) {
  const texts = useTexts(orderTexts);
  const { dragged, onMove } = list;
  const [over, setOver] = useState<number>();
  const drop = (index: number) => ({
    onDragOver(event: DragEvent) {
      if (dragged === undefined || onMove === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      setOver(index);
    },
    onDragLeave: () => setOver(undefined),
    onDrop(event: DragEvent) {
      event.preventDefault();
      event.stopPropagation();
      setOver(undefined);
      if (dragged === undefined || onMove === undefined) return;
      const before = monitors.slice(0, index).includes(dragged) ? 1 : 0;
      onMove(dragged, { group, index: index - before });
    },
  });
  return (
    <ol
      class={over === monitors.length ? 'order-list drop-last' : 'order-list'}
      aria-label={list.naming.group(group)}
      {...drop(monitors.length)}
    >
      {monitors.map((slug, index) => (
        <MonitorRow key={slug} {...list} {...{ slug, group }} isTarget={over === index} drop={drop(index)} />
      ))}
      {monitors.length === 0 && (
        <li class="order-empty note">{group === null ? texts.allGrouped : texts.empty}</li>
      )}
    </ol>
  );
}

type RowProps = Omit<ListProps, 'item'> & {
  slug: string;
  group: string | null;
  isTarget: boolean;
  drop: { onDragOver(event: DragEvent): void; onDragLeave(): void; onDrop(event: DragEvent): void };
};

function MonitorRow({ slug, group, isTarget, drop, ...list }: RowProps) {
  const { items, naming, onMove, dragged, onDrag } = list;
  const texts = useTexts(orderTexts);
  const name = naming.monitor(slug);
  return (
    <li
      class={`order-row${isTarget ? ' drop-before' : ''}${dragged === slug ? ' dragged' : ''}`}
      data-monitor={slug}
      draggable={onMove !== undefined}
      onDragStart={() => onDrag(slug)}
      onDragEnd={() => onDrag(undefined)}
      {...drop}
    >
      {onMove !== undefined && (
        <span class="order-grip" aria-hidden="true">
          <Icon name="menu" />
        </span>
      )}
      <span class="order-name">
        <span dir="auto">{name}</span>
        <span class="note">{slug}</span>
      </span>
      {onMove !== undefined && (
        <>
          {items.length > 1 && (
            <select
              aria-label={texts.groupOf({ name })}
              data-move="group"
              value={group ?? ''}
              onChange={({ currentTarget }) => {
                const to = items.find((item) => (item.group ?? '') === currentTarget.value);
                if (to) onMove(slug, { group: to.group, index: to.monitors.length }, 'group');
              }}
            >
              {items.map((item) => (
                <option key={item.group} value={item.group ?? ''}>
                  {naming.group(item.group)}
                </option>
              ))}
            </select>
          )}
          {(['up', 'down'] as const).map((way) => {
            const place = stepOf(items, slug, way === 'up' ? -1 : 1);
            return (
              <button
                key={way}
                type="button"
                class="icon-button"
                data-move={way}
                aria-label={texts[way]({ name })}
                aria-disabled={place === undefined}
                onClick={() => place && onMove(slug, place, way)}
              >
                <Icon name={way} />
              </button>
            );
          })}
        </>
      )}
    </li>
  );
}

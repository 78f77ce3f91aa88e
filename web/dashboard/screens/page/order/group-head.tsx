import { Icon } from '../../../kit/icons.js';
import { useTexts } from '../../../texts.js';
import { orderTexts } from './texts.js';

type HeadProps = {
  slug: string | null;
  name: string;
  /** Without them, people may only look. */
  actions: { onMove(step: -1 | 1): void; onRename(): void; onRemove(): void } | undefined;
  isFirst: boolean;
  isLast: boolean;
};

/** The name of a group, and what people do with it. */
export function GroupHead({ slug, name, actions, isFirst, isLast }: HeadProps) {
  const texts = useTexts(orderTexts);
  if (slug === null) {
    return (
      <div class="order-head">
        <h3>
          {name} <span class="note">{texts.ungroupedWhy}</span>
        </h3>
      </div>
    );
  }
  const buttons = [
    { icon: 'edit', label: texts.rename({ name }), move: undefined, isOff: false, run: actions?.onRename },
    { icon: 'trash', label: texts.remove({ name }), move: undefined, isOff: false, run: actions?.onRemove },
    { icon: 'up', label: texts.up({ name }), move: 'up', isOff: isFirst, run: () => actions?.onMove(-1) },
    { icon: 'down', label: texts.down({ name }), move: 'down', isOff: isLast, run: () => actions?.onMove(1) },
  ] as const;
  return (
    <div class="order-head" data-group={slug}>
      <h3 dir="auto">
        {name} <span class="note">{slug}</span>
      </h3>
      {actions !== undefined &&
        buttons.map(({ icon, label, move, isOff, run }) => (
          <button
            key={icon}
            type="button"
            class="icon-button"
            aria-label={label}
            aria-disabled={isOff}
            {...(move !== undefined && { 'data-move': move })}
            onClick={() => !isOff && run?.()}
          >
            <Icon name={icon} />
          </button>
        ))}
    </div>
  );
}

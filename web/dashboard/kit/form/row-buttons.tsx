import { Icon } from '../icons.js';

type ButtonsProps = {
  at: number;
  last: number;
  texts: { up: string; down: string; remove: string };
  move(at: number, to: number): void;
  onRemove(): void;
};

/** Moves and removes a row of a list that a person writes. */
export function RowButtons({ at, last, texts, move, onRemove }: ButtonsProps) {
  return (
    <span class="link-buttons">
      <button
        type="button"
        class="icon-button move-up"
        aria-label={texts.up}
        aria-disabled={at === 0}
        onClick={() => at > 0 && move(at, at - 1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        class="icon-button move-down"
        aria-label={texts.down}
        aria-disabled={at === last}
        onClick={() => at < last && move(at, at + 1)}
      >
        <Icon name="down" />
      </button>
      <button type="button" class="icon-button" aria-label={texts.remove} onClick={onRemove}>
        <Icon name="trash" />
      </button>
    </span>
  );
}

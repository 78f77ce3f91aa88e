import { Icon } from './icons.js';

type FilterFieldProps = {
  /** Name of the field and its placeholder, such as `Find a page`. */
  label: string;
  value: string;
  /** Takes the width of its container. */
  isWide?: boolean;
  onChange(value: string): void;
};

/** Narrows a list that stands below it with every letter. */
export function FilterField({ label, value, isWide = false, onChange }: FilterFieldProps) {
  return (
    <label class={isWide ? 'filter wide' : 'filter'}>
      <Icon name="search" />
      <span class="visually-hidden">{label}</span>
      <input
        type="search"
        placeholder={label}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}

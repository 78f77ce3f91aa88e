import { useId, useState } from 'preact/hooks';
import { useAddress } from '../../address/use-address.js';
import { useTexts } from '../../texts.js';
import { auditTexts } from './texts.js';

const names = ['actor', 'action', 'target', 'since', 'until'] as const;
type Name = (typeof names)[number];

/**
 * The filters of the log as the API has them. The address has other names for the times, since a range of figures is
 * another one, and days of the reader's clock, the last one included.
 */
export function filtersOf(query: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const given = (name: Name) => (query[name] === '' ? undefined : query[name]);
  return {
    ...{ actor: given('actor'), action: given('action'), target: given('target') },
    ...{ from: startOf(given('since'), 0), to: startOf(given('until'), 1) },
  };
}

/** When the day begins that is so many days after another one. What is no day stays as it is, for the service to refuse. */
function startOf(day: string | undefined, daysLater: number): string | undefined {
  if (day === undefined) return undefined;
  const at = new Date(`${day}T00:00`);
  if (Number.isNaN(at.getTime())) return day;
  at.setDate(at.getDate() + daysLater);
  return at.toISOString();
}

/** Narrows the log; every filter is in the address. `actions` are those to choose from. */
export function Filters({ actions }: { actions: readonly string[] }) {
  const texts = useTexts(auditTexts);
  const { query, choose } = useAddress();
  const id = useId();
  const asked = names.map((name) => query[name] ?? '').join('\n');
  const [typed, setTyped] = useState<{ of: string; values: Partial<Record<Name, string>> }>();
  // A link or Back puts others in their place.
  const values = typed?.of === asked ? typed.values : {};
  const field = (name: Name, label: string, hint?: string) => (
    <FilterInput
      {...{ name, label, hint }}
      list={name === 'action' ? id : undefined}
      value={values[name] ?? query[name] ?? ''}
      onInput={(value) => setTyped({ of: asked, values: { ...values, [name]: value } })}
    />
  );
  const isFiltered = names.some((name) => (query[name] ?? '') !== '');
  return (
    <search>
      <form
        class="audit-filters"
        aria-label={texts.filters}
        onSubmit={(event) => {
          event.preventDefault();
          choose(values);
        }}
      >
        {field('actor', texts.actor, texts.actorWhy)}
        {field('action', texts.action, texts.actionWhy)}
        {field('target', texts.target, texts.targetWhy)}
        {field('since', texts.since)}
        {field('until', texts.until)}
        <datalist id={id}>
          {actions.map((action) => (
            <option key={action} value={action} />
          ))}
        </datalist>
        <button type="submit" class="button small">
          {texts.apply}
        </button>
        {isFiltered && (
          <button
            type="button"
            class="link-button"
            onClick={() => {
              setTyped(undefined);
              choose(Object.fromEntries(names.map((name) => [name, undefined])));
            }}
          >
            {texts.clear}
          </button>
        )}
      </form>
    </search>
  );
}

type InputProps = {
  name: Name;
  label: string;
  hint: string | undefined;
  /** Id of what can be chosen. */
  list: string | undefined;
  value: string;
  onInput(value: string): void;
};

function FilterInput({ name, label, hint, list, value, onInput }: InputProps) {
  return (
    <label class="audit-filter">
      <span>{label}</span>
      <input
        type={name === 'since' || name === 'until' ? 'date' : 'search'}
        placeholder={hint}
        {...(list !== undefined && { list })}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </label>
  );
}

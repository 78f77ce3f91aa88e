import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PersonOnCall } from '../../../../../contract/manage/schedules.js';
import { scheduleLimits } from '../../../../../contract/manage/schedules.js';
import { RowButtons } from '../../../kit/form/row-buttons.js';
import { Icon } from '../../../kit/icons.js';
import { kitTexts } from '../../../kit/texts.js';
import { useTexts } from '../../../texts.js';
import { Person } from '../person.js';
import { areMore, PersonField } from '../person-field.js';
import { onCallTexts } from '../texts.js';

type PeopleProps = {
  /** Emails, in the order of their turns. */
  chosen: readonly string[];
  people: readonly PersonOnCall[];
  colourOf(email: string): string;
  error: string | undefined;
  onChange(emails: string[]): void;
};

/** The people of a layer, in the order in which they take over. */
export function PeopleFields({ chosen, people, colourOf, error, onChange }: PeopleProps) {
  const texts = useTexts(onCallTexts);
  const kit = useTexts(kitTexts);
  const [typed, setTyped] = useState('');
  const list = useRef<HTMLOListElement>(null);
  const focusAt = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    if (focusAt.current === undefined) return;
    list.current?.querySelector<HTMLElement>(focusAt.current)?.focus();
    focusAt.current = undefined;
  });
  const nameOf = (email: string): string => people.find((one) => one.email === email)?.name ?? email;
  const move = (at: number, to: number): void => {
    const isEnd = to === 0 || to === chosen.length - 1;
    const which = isEnd ? '.icon-button:not([aria-disabled="true"])' : to < at ? '.move-up' : '.move-down';
    focusAt.current = `li:nth-child(${to + 1}) ${which}`;
    onChange(chosen.toSpliced(at, 1).toSpliced(to, 0, chosen[at] ?? ''));
  };
  const add = (email: string): void => {
    setTyped('');
    if (email !== '' && !chosen.includes(email)) onChange([...chosen, email]);
  };
  // A page with more people than a list shows has emails typed, which are whole only when somebody says so.
  const isTyped = areMore(people);
  const others = people.filter(({ email }) => !chosen.includes(email));
  return (
    <div class="on-call-people">
      {chosen.length > 0 && (
        <ol ref={list} aria-label={texts.peopleOfLayer}>
          {chosen.map((email, at) => {
            const name = nameOf(email);
            return (
              <li key={`${at} ${email}`}>
                <span class="on-call-turn">{at + 1}</span>
                <Person person={{ email, name }} colour={colourOf(email)} />
                <RowButtons
                  {...{ at, last: chosen.length - 1, move }}
                  texts={{
                    up: texts.personUp({ name }),
                    down: texts.personDown({ name }),
                    remove: texts.removePerson({ name }),
                  }}
                  onRemove={() => onChange(chosen.toSpliced(at, 1))}
                />
              </li>
            );
          })}
        </ol>
      )}
      {chosen.length < scheduleLimits.peopleOfLayer && (
        <PersonField
          label={texts.addPerson}
          people={others}
          isTyped={isTyped}
          value={typed}
          onChoose={(email) => (isTyped ? setTyped(email) : add(email))}
          error={error}
        />
      )}
      {typed.trim() !== '' && (
        <button type="button" class="button small" onClick={() => add(typed.trim())}>
          <Icon name="plus" />
          {kit.add}
        </button>
      )}
    </div>
  );
}

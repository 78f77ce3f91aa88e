import type { PersonOnCall } from '../../../../contract/manage/schedules.js';
import { Field, TextField } from '../../kit/form/field.js';
import { pagePath } from '../../reads/api-path.js';
import type { ListAnswer } from '../../reads/use-list.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { onCallTexts } from './texts.js';

/** More people are rather found by typing than in a list; the API gives so many at once. */
const listedMax = 200;

/** The people of the page who can be put on call. */
export function usePeople(): Read<ListAnswer<PersonOnCall>> {
  const { slug } = usePage();
  return useRead(pagePath(slug, '/on-call/people', { limit: String(listedMax) }));
}

/** Whether a page may have more people than these. */
export function areMore(people: readonly PersonOnCall[]): boolean {
  return people.length >= listedMax;
}

type PersonFieldProps = {
  label: string;
  hint?: string;
  people: readonly PersonOnCall[];
  /** Whether the page has more people than these, so that one is typed. */
  isTyped: boolean;
  /** An email; empty for nobody yet. */
  value: string;
  onChoose(email: string): void;
  error?: string | undefined;
};

/** One of the people of the page. Of a page with more people than a list shows, by email. */
export function PersonField(props: PersonFieldProps) {
  const { label, hint, people, isTyped, value, onChoose, error } = props;
  const texts = useTexts(onCallTexts);
  if (isTyped) {
    return (
      <TextField
        {...{ label, error, value, onInput: onChoose, hint: hint ?? texts.byEmail }}
        input={{ inputMode: 'email', autocomplete: 'off', spellcheck: false }}
      />
    );
  }
  return (
    <Field {...{ label, hint, error }}>
      {(input) => (
        <select {...input} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
          <option value="">{texts.choosePerson}</option>
          {people.map(({ email, name }) => (
            <option key={email} value={email}>
              {name === email ? email : `${name} (${email})`}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

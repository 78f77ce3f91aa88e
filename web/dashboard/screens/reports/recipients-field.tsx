import { reportSettingsLimits } from '../../../../contract/manage/report-settings.js';
import type { PersonOnCall } from '../../../../contract/manage/schedules.js';
import { CheckList } from '../../kit/form/choices.js';
import { AreaField } from '../../kit/form/field.js';
import { useTexts } from '../../texts.js';
import { reportsTexts } from './texts.js';

/** More people are rather typed than found in a list; the API gives so many at once. */
export const peopleListed = 200;

type RecipientsProps = {
  /** The people of the page, by email. */
  people: readonly PersonOnCall[];
  /** Emails, in order. */
  value: readonly string[];
  onChange(emails: string[]): void;
  error: string | undefined;
};

/** The people who get the whole report. Of a page with more people than a list shows, by email. */
export function RecipientsField({ people, value, onChange, error }: RecipientsProps) {
  const texts = useTexts(reportsTexts);
  const { recipients: most } = reportSettingsLimits;
  if (people.length >= peopleListed) {
    return (
      <AreaField
        label={texts.people}
        hint={texts.onePerLine({ most })}
        error={error}
        value={value.join('\n')}
        onInput={(text) => onChange(text === '' ? [] : text.split('\n'))}
      />
    );
  }
  const names = new Map(people.map(({ email, name }) => [email, name]));
  const emails = [...new Set([...names.keys(), ...value])].sort();
  return (
    <div class="report-people">
      <CheckList
        label={texts.people}
        hint={texts.peopleWhy}
        error={error}
        options={emails.map((email) => {
          const name = names.get(email) ?? email;
          return { value: email, title: name, hint: name === email ? undefined : email };
        })}
        values={value}
        onChange={onChange}
      />
    </div>
  );
}

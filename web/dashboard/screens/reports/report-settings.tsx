import type { ReportSettings } from '../../../../contract/manage/report-settings.js';
import type { PersonOnCall } from '../../../../contract/manage/schedules.js';
import { useAddress } from '../../address/use-address.js';
import { Segments, Switch } from '../../kit/form/choices.js';
import { ConflictDialog } from '../../kit/form/conflict.js';
import { SettingsForm } from '../../kit/form/settings-form.js';
import { type Editor, useEditor } from '../../kit/form/use-editor.js';
import { showNotice } from '../../kit/notice.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import { kitTexts } from '../../kit/texts.js';
import { pagePath } from '../../reads/api-path.js';
import { sendForTag } from '../../reads/fetch-json.js';
import type { ListAnswer } from '../../reads/use-list.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { pathOfScreen } from '../../shell/screens.js';
import { useTexts } from '../../texts.js';
import { nextDay } from './last-period.js';
import { peopleListed, RecipientsField } from './recipients-field.js';
import { reportsTexts } from './texts.js';
import { useDates } from './use-dates.js';
import { bodyOf, isForNobody, type ReportValues, scheduleChoices, valuesOf } from './values.js';

/** Who gets reports by email, and how often, for those who may set it. */
export function ReportSettingsPart({ timeZone }: { timeZone: string }) {
  const { slug } = usePage();
  const read = useRead<ReportSettings>(pagePath(slug, '/report-settings'));
  const people = useRead<ListAnswer<PersonOnCall>>(
    pagePath(slug, '/on-call/people', { limit: String(peopleListed) }),
  );
  const skeleton = <Skeleton height={280} />;
  return (
    <ReadView read={read} skeleton={skeleton}>
      {(saved) => (
        <ReadView read={people} skeleton={skeleton}>
          {({ items }) => <SettingsOfReports {...{ read, saved, people: items, timeZone }} />}
        </ReadView>
      )}
    </ReadView>
  );
}

type SettingsProps = {
  read: Read<ReportSettings>;
  saved: ReportSettings;
  people: readonly PersonOnCall[];
  timeZone: string;
};

function SettingsOfReports({ read, saved, people, timeZone }: SettingsProps) {
  const texts = useTexts(reportsTexts);
  const editor = useReportEditor(read, saved);
  const { values, set, errors } = editor;
  const isOn = values.every !== 'off';
  return (
    <>
      <SettingsForm {...{ editor, title: texts.byEmail, note: texts.byEmailWhy, isReadOnly: false }}>
        <Segments
          label={texts.every}
          options={scheduleChoices.map((value) => ({ value, title: texts.schedules[value] }))}
          value={values.every}
          onChoose={set('every')}
        />
        {isOn && <WhenSent every={values.every} timeZone={timeZone} />}
        {isOn && (
          <RecipientsField
            {...{ people, value: values.recipients, onChange: set('recipients') }}
            error={errors['recipients']}
          />
        )}
        {isOn && (
          <Switch
            label={texts.toSubscribers}
            hint={texts.toSubscribersWhy}
            isOn={values.toSubscribers}
            onSwitch={set('toSubscribers')}
          />
        )}
      </SettingsForm>
      <ConflictDialog
        editor={editor}
        labels={{ every: texts.every, recipients: texts.people, toSubscribers: texts.toSubscribers }}
        textOf={(field, value) => {
          if (Array.isArray(value)) return value.join('\n');
          if (typeof value === 'boolean') return value ? texts.yes : texts.no;
          return field === 'every' ? texts.schedules[value] : value;
        }}
      />
    </>
  );
}

/** When the next report is sent, by which clock, and where that is set. */
function WhenSent({ every, timeZone }: Pick<ReportValues, 'every'> & { timeZone: string }) {
  const { slug } = usePage();
  const { to } = useAddress();
  const texts = useTexts(reportsTexts);
  const dates = useDates();
  if (every === 'off') return null;
  const day = dates.weekday(nextDay(every === 'weekly' ? 'week' : 'month', Date.now(), timeZone));
  return (
    <p class="note">
      {texts.next({ day, zone: timeZone.replaceAll('_', ' ') })}{' '}
      <a href={to(pathOfScreen(slug, 'page'), { part: 'languages' })}>{texts.changeZone}</a>
    </p>
  );
}

/** Edits the settings; the notice takes a change back, unless somebody has changed them since. */
function useReportEditor(read: Read<ReportSettings>, saved: ReportSettings): Editor<ReportValues> {
  const { slug } = usePage();
  const texts = useTexts(reportsTexts);
  const kit = useTexts(kitTexts);
  const path = pagePath(slug, '/report-settings');
  const undo = async (before: ReportValues, ifMatch: string | undefined): Promise<void> => {
    try {
      read.take(await sendForTag<ReportSettings>('PUT', path, bodyOf(before), { ifMatch }));
      showNotice(texts.undone);
    } catch {
      showNotice(texts.notUndone);
    }
  };
  return useEditor<ReportSettings, ReportValues>({
    ...{ method: 'PUT', path, read, saved, valuesOf },
    bodyOf: (_, values) => bodyOf(values),
    keptAs: 'report settings',
    check: (values) => (isForNobody(values) ? { recipients: texts.nobody } : {}),
    onSaved: (_, etag, base) => showNotice(kit.saved, () => void undo(base, etag)),
  });
}

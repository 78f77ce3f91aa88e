import {
  type ContactWayKind,
  contactWayKinds,
  contactWayLimits,
} from '../../../../../contract/manage/contact-ways.js';
import { alertSeverities } from '../../../../../contract/manage/shared.js';
import { CheckList, SelectField, Switch } from '../../../kit/form/choices.js';
import { Field, TextField } from '../../../kit/form/field.js';
import type { FormState } from '../../../kit/form/use-form.js';
import { useSession } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { fieldsOf, isSecret, type WayField, type WayValues } from './fields.js';
import { type WaysTexts, waysTexts } from './texts.js';

type FieldsProps = { form: FormState<WayValues>; isNew: boolean };

/** Where a way leads, which alerts come there, and when it is quiet. */
export function WayFields({ form, isNew }: FieldsProps) {
  const texts = useTexts(waysTexts);
  const { wayKinds } = useSession();
  const { values, errors, set } = form;
  return (
    <>
      {isNew && (
        <SelectField
          label={texts.kind}
          hint={texts.guides[values.kind]}
          options={contactWayKinds
            .filter((kind) => wayKinds.includes(kind))
            .map((value) => ({ value, title: texts.kinds[value] }))}
          value={values.kind}
          onChoose={set('kind')}
        />
      )}
      {fieldsOf(values.kind).map(({ field, isNeeded }) => (
        <Setting key={field} {...{ form, isNew, field, isNeeded }} />
      ))}
      <TextField
        label={texts.name}
        hint={texts.nameWhy}
        {...form.field('name')}
        input={{
          ...{ autocomplete: 'off', dir: 'auto', maxLength: contactWayLimits.nameChars },
          placeholder: texts.kinds[values.kind],
        }}
      />
      <CheckList
        label={texts.severities}
        options={alertSeverities.map((value) => ({
          ...{ value, title: texts.severityNames[value], hint: texts.severitiesWhy[value] },
        }))}
        values={values.severities}
        onChange={set('severities')}
        error={errors['severities']}
      />
      <QuietHours form={form} />
    </>
  );
}

type SettingProps = FieldsProps & { field: WayField; isNeeded: boolean };

function Setting({ form, isNew, field, isNeeded }: SettingProps) {
  const texts = useTexts(waysTexts);
  const { me } = useSession();
  const { kind } = form.values;
  const label = labelOf(field, kind, texts);
  const placeholder =
    field === 'url' || field === 'server'
      ? 'https://'
      : field === 'to'
        ? kind === 'email'
          ? (me.caller.email ?? '')
          : '+4930123456'
        : undefined;
  return (
    <TextField
      label={isNeeded ? label : texts.optional({ label })}
      hint={!isNew && isSecret(field) ? texts.secretStays : hintOf(field, kind, texts)}
      {...form.field(field)}
      input={{
        ...{ autocomplete: 'off', spellcheck: false },
        ...(placeholder !== undefined && { placeholder }),
        ...((field === 'url' || field === 'server') && { inputMode: 'url' }),
      }}
    />
  );
}

export function labelOf(field: WayField, kind: ContactWayKind, texts: WaysTexts): string {
  if (field === 'to') return kind === 'email' ? texts.address : texts.phone;
  return texts.settings[field];
}

function hintOf(field: WayField, kind: ContactWayKind, texts: WaysTexts): string {
  if (field === 'to') return kind === 'email' ? texts.addressWhy : texts.phoneWhy;
  return texts.settingsWhy[field];
}

function QuietHours({ form }: Pick<FieldsProps, 'form'>) {
  const texts = useTexts(waysTexts);
  const { values, set } = form;
  const zones = [...new Set(['UTC', values.timeZone, ...Intl.supportedValuesOf('timeZone')])];
  const ends = ['quietFrom', 'quietTo'] as const;
  return (
    <>
      <Switch label={texts.quiet} hint={texts.quietWhy} isOn={values.isQuiet} onSwitch={set('isQuiet')} />
      {values.isQuiet && (
        <div class="quiet-hours">
          {ends.map((end) => (
            <Field key={end} label={texts[end]} error={form.errors[end]}>
              {(input) => (
                <input
                  {...input}
                  type="time"
                  value={values[end]}
                  onInput={({ currentTarget }) => set(end)(currentTarget.value)}
                />
              )}
            </Field>
          ))}
          <SelectField
            label={texts.zone}
            options={zones.map((zone) => ({ value: zone, title: zone.replaceAll('_', ' ') }))}
            value={values.timeZone}
            onChoose={set('timeZone')}
          />
        </div>
      )}
    </>
  );
}

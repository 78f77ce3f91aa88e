import {
  type ChannelField,
  type ChannelKind,
  channelKinds,
  channelNames,
  channelRegions,
  channelTopics,
} from '../../../../contract/channels.js';
import { CheckList, SelectField, Switch } from '../../kit/form/choices.js';
import { Field, TextField } from '../../kit/form/field.js';
import type { FormState } from '../../kit/form/use-form.js';
import { useTexts } from '../../texts.js';
import { type ChannelValues, fieldsOf, isSecret } from './fields.js';
import { type ChannelsTexts, channelsTexts } from './texts.js';

type ChannelFieldsProps = { form: FormState<ChannelValues>; isNew: boolean };

/** Where a channel leads, what it reports, and when it is quiet. */
export function ChannelFields({ form, isNew }: ChannelFieldsProps) {
  const texts = useTexts(channelsTexts);
  const { values, errors, set } = form;
  return (
    <>
      {isNew && (
        <SelectField
          label={texts.kind}
          hint={texts.guides[values.kind]}
          options={channelKinds.map((value) => ({ value, title: channelNames[value] }))}
          value={values.kind}
          onChoose={set('kind')}
        />
      )}
      <TextField
        label={texts.name}
        hint={texts.nameWhy}
        {...form.field('name')}
        input={{ autocomplete: 'off', dir: 'auto', maxLength: 80, placeholder: channelNames[values.kind] }}
      />
      {fieldsOf(values.kind).map(({ field, isNeeded }) => (
        <Setting key={field} form={form} field={field} isNeeded={isNeeded} isNew={isNew} />
      ))}
      <Switch
        label={texts.tellEverything}
        hint={texts.topicsWhy}
        isOn={values.isEvery}
        onSwitch={set('isEvery')}
      />
      {!values.isEvery && (
        <CheckList
          label={texts.topics}
          options={channelTopics.map((value) => ({ value, title: texts.topicNames[value] }))}
          values={channelTopics.filter((topic) => values.topics.includes(topic))}
          onChange={set('topics')}
          error={errors['topics']}
        />
      )}
      <QuietHours form={form} />
    </>
  );
}

type SettingProps = ChannelFieldsProps & { field: ChannelField; isNeeded: boolean };

function Setting({ form, field, isNeeded, isNew }: SettingProps) {
  const texts = useTexts(channelsTexts);
  const { values, set } = form;
  const label = field === 'token' ? tokenLabel(values.kind, texts) : texts.settings[field];
  const hint = hintOf(field, values.kind, texts);
  if (field === 'region') {
    return (
      <SelectField
        label={label}
        hint={hint}
        options={channelRegions.map((value) => ({ value, title: texts.regions[value] }))}
        value={values.region}
        onChoose={set('region')}
      />
    );
  }
  const stays = !isNew && isSecret(field);
  return (
    <TextField
      label={isNeeded ? label : texts.optional({ label })}
      hint={stays ? texts.secretStays : hint}
      {...form.field(field)}
      input={{
        ...{ autocomplete: 'off', spellcheck: false },
        ...((field === 'url' || field === 'server') && { inputMode: 'url', placeholder: 'https://' }),
      }}
    />
  );
}

export function tokenLabel(kind: ChannelKind, texts: ChannelsTexts): string {
  return kind === 'telegram' ? texts.botToken : texts.settings.token;
}

/** Says where to find the value of a setting, as far as that needs words. */
function hintOf(
  field: ChannelField,
  kind: ChannelKind,
  { settingsWhy, ntfyServerWhy }: ChannelsTexts,
): string {
  if (field === 'server') return kind === 'ntfy' ? ntfyServerWhy : '';
  const hints: Partial<Record<ChannelField, string>> = settingsWhy;
  return hints[field] ?? '';
}

function QuietHours({ form }: { form: FormState<ChannelValues> }) {
  const { values, set } = form;
  const texts = useTexts(channelsTexts);
  return (
    <>
      <Switch
        label={texts.quietHours}
        hint={texts.quietWhy}
        isOn={values.isQuiet}
        onSwitch={set('isQuiet')}
      />
      {values.isQuiet && (
        <div class="quiet-hours">
          <ClockField label={texts.from} {...form.field('quietFrom')} />
          <ClockField label={texts.to} {...form.field('quietTo')} />
        </div>
      )}
    </>
  );
}

type ClockFieldProps = {
  label: string;
  value: string;
  onInput(value: string): void;
  error?: string | undefined;
};

/** A time of the day. */
function ClockField({ label, value, onInput, error }: ClockFieldProps) {
  return (
    <Field label={label} error={error}>
      {(input) => (
        <input
          {...input}
          type="time"
          value={value}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
  );
}

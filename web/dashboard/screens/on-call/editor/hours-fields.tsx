import { scheduleLimits, weekdays } from '../../../../../contract/manage/schedules.js';
import { Switch } from '../../../kit/form/choices.js';
import { Icon } from '../../../kit/icons.js';
import { useTexts } from '../../../texts.js';
import { onCallTexts } from '../texts.js';
import { useZoneTimes } from '../use-zone-times.js';
import type { HoursValues } from './values.js';

type HoursProps = {
  hours: readonly HoursValues[];
  error: string | undefined;
  onChange(hours: HoursValues[]): void;
};

const usualHours: HoursValues = { from: '08:00', to: '20:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'] };

/** When a layer covers: always, or at certain hours of certain days. */
export function HoursFields({ hours, error, onChange }: HoursProps) {
  const texts = useTexts(onCallTexts);
  return (
    <div class="on-call-hours">
      <Switch
        label={texts.onlyHours}
        hint={texts.onlyHoursWhy}
        isOn={hours.length > 0}
        onSwitch={(isOn) => onChange(isOn ? [usualHours] : [])}
      />
      {hours.map((one, at) => (
        <OneOfHours
          key={at}
          hours={one}
          number={at + 1}
          isWrong={error !== undefined}
          onChange={(changed) => onChange(hours.with(at, changed))}
          onRemove={hours.length > 1 ? () => onChange(hours.toSpliced(at, 1)) : undefined}
        />
      ))}
      {error !== undefined && (
        <p class="field-error" role="alert">
          <Icon name="warning" />
          <span>{error}</span>
        </p>
      )}
      {hours.length > 0 && hours.length < scheduleLimits.hoursOfLayer && (
        <button type="button" class="button small" onClick={() => onChange([...hours, usualHours])}>
          <Icon name="plus" />
          {texts.addHours}
        </button>
      )}
    </div>
  );
}

type OneProps = {
  hours: HoursValues;
  /** Tells the entries apart for screen readers. */
  number: number;
  isWrong: boolean;
  onChange(hours: HoursValues): void;
  onRemove: (() => void) | undefined;
};

function OneOfHours({ hours, number, isWrong, onChange, onRemove }: OneProps) {
  const texts = useTexts(onCallTexts);
  const { weekday } = useZoneTimes('UTC');
  const ends = ['from', 'to'] as const;
  const toggle = (day: (typeof weekdays)[number]): void =>
    onChange({
      ...hours,
      days: weekdays.filter((one) => (one === day ? !hours.days.includes(day) : hours.days.includes(one))),
    });
  return (
    <fieldset class="on-call-hours-row">
      <legend class="visually-hidden">{texts.hoursOf({ number })}</legend>
      {ends.map((end) => (
        <label key={end}>
          <span class="note">{texts.hoursEnds[end]}</span>
          <input
            type="time"
            value={hours[end] === '24:00' ? '00:00' : hours[end]}
            aria-invalid={isWrong}
            onInput={({ currentTarget }) => {
              const { value } = currentTarget;
              onChange({ ...hours, [end]: end === 'to' && value === '00:00' ? '24:00' : value });
            }}
          />
        </label>
      ))}
      <span class="on-call-weekdays">
        {weekdays.map((day, at) => (
          <label key={day}>
            <input type="checkbox" checked={hours.days.includes(day)} onChange={() => toggle(day)} />
            {/* The fifth of January 1970 was a Monday. */}
            <span>{weekday((at + 4) * 86_400_000)}</span>
          </label>
        ))}
      </span>
      {onRemove !== undefined && (
        <button
          type="button"
          class="icon-button"
          aria-label={texts.removeHours({ number })}
          onClick={onRemove}
        >
          <Icon name="trash" />
        </button>
      )}
      {hours.days.length === 0 && <span class="note">{texts.everyDay}</span>}
    </fieldset>
  );
}

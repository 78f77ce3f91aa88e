import {
  type LayerHours,
  type PutSchedule,
  type ScheduleLayer,
  scheduleLimits,
  weekdays,
} from '../../contract/manage/schedules.js';
import { findTimeZone } from '../../lib/locale/time.js';
import { ServiceError } from '../../lib/service-error.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import type { Hours } from './plan.js';

/** The fields of a schedule that people set. `people` has null for somebody whose account was deleted. */
export type ScheduleFields = { name: string; timeZone: string; layers: LayerFields[] };
export type LayerFields = Omit<ScheduleLayer, 'people' | 'hours'> & {
  people: (string | null)[];
  hours: LayerHours[] | null;
};

const [firstYear, lastYear] = [2_000, 2_099];

/**
 * Returns the fields of a schedule, whose schema was checked, in their usual form.
 *
 * @throws ServiceError `invalidBody` with the name of the field: a time zone, a time, hours or a length that does not
 *   exist, names that are there twice, and more hours than there may be.
 */
export function parseSchedule({ name, timeZone: zone, layers }: PutSchedule): ScheduleFields {
  const timeZone = findTimeZone(zone);
  if (timeZone === undefined) {
    throw invalid('/timeZone must be the name of a time zone, such as Europe/Berlin or UTC.');
  }
  const parsed = layers.map((layer, at) => parseLayer(layer, `/layers/${at}`));
  const names = parsed.map((layer) => layer.name);
  const twice = names.findIndex((one, at) => names.indexOf(one) !== at);
  if (twice >= 0) {
    throw invalid(`/layers/${twice}/name must be another one than those of the layers before it.`);
  }
  const hours = parsed.reduce((sum, layer) => sum + (layer.hours?.length ?? 0), 0);
  if (hours > scheduleLimits.hoursOfSchedule) {
    throw invalid(
      `/layers must have at most ${scheduleLimits.hoursOfSchedule} hours in all; they have ${hours}. One entry of hours may name several days.`,
    );
  }
  return { name: name.trim(), timeZone, layers: parsed };
}

function parseLayer({ name, people, handoff, every, hours }: ScheduleLayer, path: string): LayerFields {
  if (!isLocalTime(handoff)) {
    throw invalid(
      `${path}/handoff must be a local time from ${firstYear} to ${lastYear}, such as 2026-12-07T09:00.`,
    );
  }
  if ((every.days === undefined) === (every.weeks === undefined)) {
    throw invalid(`${path}/every must have days or weeks, and not both, such as {"weeks": 1}.`);
  }
  const emails = people.map((email) => email.trim().toLowerCase());
  return {
    ...{ name: name.trim(), people: emails, handoff, every },
    hours: hours?.map((one, at) => parseHours(one, `${path}/hours/${at}`)) ?? null,
  };
}

function parseHours({ from, to, days }: LayerHours, path: string): LayerHours {
  const [fromMinute, toMinute] = [minuteOf(from), minuteOf(to)];
  if (fromMinute === undefined || fromMinute === lastMinute) {
    throw invalid(`${path}/from must be a time of day, from 00:00 to 23:59.`);
  }
  if (toMinute === undefined) throw invalid(`${path}/to must be a time of day, from 00:00 to 24:00.`);
  if (fromMinute === toMinute) {
    throw invalid(`${path}/to must differ from /from; a whole day is from 00:00 to 24:00.`);
  }
  if (days === undefined || days === null) return { from, to };
  return { from, to, days: weekdays.filter((day) => days.includes(day)) };
}

/** Returns the hours of a layer as a plan has them. */
export function toHours({ from, to, days = null }: LayerHours): Hours {
  return { fromMinute: minuteOf(from) ?? 0, toMinute: minuteOf(to) ?? lastMinute, days };
}

const lastMinute = dayMs / minuteMs;

/** The minute of a day of a time as `HH:MM`, to 24:00; `undefined` for other texts. */
function minuteOf(text: string): number | undefined {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hour !== undefined) return Number(hour) * 60 + Number(minute);
  return text === '24:00' ? lastMinute : undefined;
}

/** Whether a text is a date and a time that a calendar has; whether the clock of a zone shows it does not matter. */
function isLocalTime(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text)) return false;
  const time = new Date(`${text}:00Z`);
  const year = time.getUTCFullYear();
  return (
    !Number.isNaN(Number(time)) &&
    time.toISOString().startsWith(text) &&
    year >= firstYear &&
    year <= lastYear
  );
}

/**
 * Checks the times of an override.
 *
 * @param now in milliseconds since the epoch.
 * @throws ServiceError `invalidBody` with the name of the field.
 */
export function checkOverride({ from, to }: { from: number; to: number }, now: number): void {
  if (Number.isNaN(from)) throw invalid('/from must be a time with a zone, such as 2026-12-07T09:00:00Z.');
  if (Number.isNaN(to)) throw invalid('/to must be a time with a zone, such as 2026-12-07T17:00:00Z.');
  if (from >= to) throw invalid('/to must be after /from.');
  if (to <= now) throw invalid('/to must be still to come; an override changes nothing that is over.');
  const { rangeDays } = scheduleLimits;
  if (to - from > rangeDays * dayMs) throw invalid(`/to must be at most ${rangeDays} days after /from.`);
  if (from - now > rangeDays * dayMs) throw invalid(`/from must be at most ${rangeDays} days ahead.`);
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidBody', { message });
}

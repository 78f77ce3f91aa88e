import {
  type ManagedSchedule,
  type PutSchedule,
  type ScheduleLayer,
  scheduleLimits,
  type Weekday,
} from '../../../../../contract/manage/schedules.js';
import type { OnCallTexts } from '../texts.js';

/** The hours of a layer as the form has them; no days are every day. */
export type HoursValues = { from: string; to: string; days: Weekday[] };

/** A layer as the form has it. */
export type LayerValues = {
  name: string;
  people: string[];
  handoff: string;
  /** `null` while the field is empty. */
  count: number | null;
  unit: 'days' | 'weeks';
  /** Without any it covers always. */
  hours: HoursValues[];
};

export type ScheduleValues = { name: string; timeZone: string; layers: LayerValues[] };

/** The fields of a schedule as the form has them. Turns of deleted accounts end with the next change of the layers. */
export function valuesOf({ name, timeZone, layers }: ManagedSchedule): ScheduleValues {
  return {
    ...{ name, timeZone },
    layers: layers.map(({ people, every, hours, ...layer }) => ({
      ...{ name: layer.name, handoff: layer.handoff },
      people: people.filter((email) => email !== null),
      count: every.weeks ?? every.days ?? 1,
      unit: every.weeks === undefined ? 'days' : 'weeks',
      hours: (hours ?? []).map(({ from, to, days }) => ({ from, to, days: [...(days ?? [])] })),
    })),
  };
}

/** The layers as the API takes them. */
export function layersOf({ layers }: Pick<ScheduleValues, 'layers'>): PutSchedule['layers'] {
  return layers.map(
    ({ name, people, handoff, count, unit, hours }): ScheduleLayer => ({
      ...{ name: name.trim(), people, handoff, every: { [unit]: count ?? 1 } },
      ...(hours.length > 0 && {
        hours: hours.map(({ from, to, days }) => ({ from, to, ...(days.length > 0 && { days }) })),
      }),
    }),
  );
}

/** A layer that hands over weekly, from a Monday at nine; `today` is a date. */
export function newLayer(name: string, monday: string): LayerValues {
  return { name, people: [], handoff: `${monday}T09:00`, count: 1, unit: 'weeks', hours: [] };
}

/** The problems of the fields by their paths, such as `layers/0/people`. */
export function findProblems({ name, layers }: ScheduleValues, texts: OnCallTexts): Record<string, string> {
  const problems: Record<string, string> = name.trim() === '' ? { name: texts.needed } : {};
  const names = layers.map((layer) => layer.name.trim());
  for (const [at, { people, handoff, count, unit, hours }] of layers.entries()) {
    const add = (field: string, text: string): void => {
      problems[`layers/${at}/${field}`] = text;
    };
    const max = unit === 'days' ? scheduleLimits.everyDays : scheduleLimits.everyWeeks;
    if (names[at] === '') add('name', texts.needed);
    else if (names.indexOf(names[at] ?? '') !== at) add('name', texts.nameTwice);
    if (people.length === 0) add('people', texts.noPeople);
    if (handoff === '') add('handoff', texts.needed);
    if (count === null || !Number.isInteger(count) || count < 1 || count > max)
      add('count', texts.wrongCount({ max }));
    if (hours.some(({ from, to }) => from === '' || to === '')) add('hours', texts.hoursMissing);
    else if (hours.some(({ from, to }) => from === to)) add('hours', texts.sameHours);
  }
  return problems;
}

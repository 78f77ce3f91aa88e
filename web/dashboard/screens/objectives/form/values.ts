import type {
  ChangeObjective,
  ManagedObjective,
  ObjectiveSli,
  ObjectiveWindow,
  PutObjective,
} from '../../../../../contract/manage/objectives.js';
import { objectiveLimits } from '../../../../../contract/manage/objectives.js';
import { boundsOf, nearestKeyOf } from '../../../../../lib/latency-buckets.js';
import { proposeSlug } from '../../../../../lib/slug.js';
import { type FieldErrors, fieldErrorOf, type ReadError } from '../../../reads/fetch-json.js';
import type { FormTexts } from './texts.js';

export const windowKinds = ['days', 'month', 'quarter'] as const;
export const measures = ['requests', 'monitor'] as const;

/** The fields of the form; an empty text and null stand for nothing. */
export type ObjectiveValues = {
  name: string;
  slug: string;
  measure: (typeof measures)[number];
  service: string;
  endpoint: string;
  method: string;
  underMs: number | null;
  monitor: string;
  target: number | null;
  windowKind: (typeof windowKinds)[number];
  days: number | null;
  isPublic: boolean;
};

/** Four weeks hold as many weekends each, so that a target of 99.9 % means the same in all of them. */
export const newObjective: ObjectiveValues = {
  ...{ name: '', slug: '', measure: 'requests', service: '', endpoint: '', method: '', underMs: null },
  ...{ monitor: '', target: 99.9, windowKind: 'days', days: 28, isPublic: false },
};

export function valuesOf({ name, slug, target, window, sli, isPublic }: ManagedObjective): ObjectiveValues {
  const { service = '', endpoint = '', method = '', underMs = null } = 'requests' in sli ? sli.requests : {};
  return {
    ...{ name, slug, target, service, endpoint, method, underMs, isPublic },
    measure: 'requests' in sli ? 'requests' : 'monitor',
    monitor: 'monitor' in sli ? sli.monitor.slug : '',
    windowKind: 'days' in window ? 'days' : window.calendar,
    days: 'days' in window ? window.days : newObjective.days,
  };
}

/** Returns the short name: the one that is entered, or one like the name. */
export function slugOf({ name, slug }: Pick<ObjectiveValues, 'name' | 'slug'>): string {
  return slug === ''
    ? proposeSlug(name, 'objective').slice(0, 60).replace(/-+/g, '-').replace(/-$/, '')
    : slug;
}

export function bodyOf(values: ObjectiveValues): PutObjective {
  return {
    name: values.name.trim(),
    target: values.target ?? 0,
    isPublic: values.isPublic,
    window: windowOf(values),
    sli: sliOf(values),
  };
}

/** Returns the fields of the request that the changes of the form are in. */
export function changesOf(changes: Partial<ObjectiveValues>, values: ObjectiveValues): ChangeObjective {
  const body = bodyOf(values);
  const has = (...fields: (keyof ObjectiveValues)[]) => fields.some((field) => field in changes);
  return {
    ...(has('name') && { name: body.name }),
    ...(has('target') && { target: body.target }),
    ...(has('isPublic') && { isPublic: body.isPublic }),
    ...(has('windowKind', 'days') && { window: body.window }),
    ...(has('measure', 'service', 'endpoint', 'method', 'underMs', 'monitor') && { sli: body.sli }),
  };
}

function windowOf({ windowKind, days }: ObjectiveValues): ObjectiveWindow {
  return windowKind === 'days' ? { days: days ?? 0 } : { calendar: windowKind };
}

function sliOf({ measure, service, endpoint, method, underMs, monitor }: ObjectiveValues): ObjectiveSli {
  if (measure === 'monitor') return { monitor: { slug: monitor } };
  return {
    requests: {
      ...(service.trim() !== '' && { service: service.trim() }),
      ...(endpoint.trim() !== '' && { endpoint: endpoint.trim() }),
      ...(method !== '' && { method }),
      ...(underMs !== null && { underMs }),
    },
  };
}

/** Returns the bound of the buckets that a threshold moves to, in milliseconds; the service does the same. */
export function movedMs(underMs: number): number {
  return boundsOf(nearestKeyOf(underMs)).upperMs;
}

/** Returns what is wrong, by field. */
export function checkObjective(values: ObjectiveValues, texts: FormTexts): FieldErrors {
  const { target, windowKind, days, endpoint, service, measure } = values;
  const isTarget =
    target !== null &&
    target > 0 &&
    target < 100 &&
    Number(target.toFixed(objectiveLimits.targetDecimals)) === target;
  const isDays = days !== null && Number.isInteger(days) && days >= 1 && days <= objectiveLimits.windowDays;
  const isSlug = /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slugOf(values));
  return {
    ...(measure === 'monitor' && values.monitor === '' && { monitor: texts.chooseMonitor }),
    ...(!isTarget && { target: texts.targetWrong }),
    ...(windowKind === 'days' && !isDays && { days: texts.daysWrong }),
    ...(values.name.trim() !== '' && !isSlug && { slug: texts.slugWrong }),
    ...(measure === 'requests' &&
      endpoint.trim() !== '' &&
      service.trim() === '' && { service: texts.endpointNeedsService }),
  };
}

/** Returns the field of the form that a refusal is about: the request has its fields in objects. */
export function explainObjective(error: ReadError, texts: FormTexts): FieldErrors | undefined {
  if (error.status === 412) return { slug: texts.slugTaken };
  const { path = [], problem = '' } = fieldErrorOf(error) ?? {};
  const last = path.at(-1) ?? '';
  const field = path[0] === 'sli' && last === 'slug' ? 'monitor' : last === 'calendar' ? 'days' : last;
  if (!(field in newObjective)) return undefined;
  return { [field]: problem.charAt(0).toUpperCase() + problem.slice(1) };
}

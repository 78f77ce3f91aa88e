import { type MonitorKind, monitorLimits } from '../../../../../contract/monitors.js';
import type { FieldErrors } from '../../../reads/fetch-json.js';
import type { FormTexts } from './texts.js';
import { type MonitorField, type MonitorValues, slugOf, targetFieldsOf } from './values.js';

const limits = monitorLimits;

/** The range of each number; what may be empty has a default. */
const ranges: readonly { field: MonitorField; min: number; max: number; mayBeEmpty?: true }[] = [
  { field: 'everySeconds', min: limits.everySecondsMin, max: limits.everySecondsMax },
  { field: 'failuresToDown', min: 1, max: limits.failuresToDownMax },
  { field: 'timeoutMs', min: limits.timeoutMsMin, max: limits.timeoutMsMax },
  { field: 'tlsExpiryDays', min: 0, max: limits.tlsExpiryDaysMax, mayBeEmpty: true },
  { field: 'degradedOverMs', min: 1, max: limits.timeoutMsMax, mayBeEmpty: true },
  { field: 'periodSeconds', min: limits.periodSecondsMin, max: limits.periodSecondsMax },
  { field: 'graceSeconds', min: 0, max: limits.graceSecondsMax },
];

/** Returns the problems of the fields of a kind that are known before they are sent. */
export function findProblems(
  kind: MonitorKind,
  values: MonitorValues,
  texts: FormTexts,
  sayRange: (field: MonitorField, min: number, max: number) => string,
): FieldErrors {
  const { problems } = texts;
  const found: Record<string, string> = {};
  const own = new Set(targetFieldsOf(kind));
  if (values.name.trim() === '') found['name'] = problems.required;
  if (!/^[a-z0-9-]{1,63}$/.test(slugOf(values))) found['slug'] = problems.slug;
  if (own.has('url') && !isTarget(kind, values.url.trim())) found['url'] = problems[kind];
  for (const { field, min, max, mayBeEmpty } of ranges.filter((range) => own.has(range.field))) {
    const value = values[field];
    if (value === null && mayBeEmpty) continue;
    const isInside = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
    if (!isInside) found[field] = sayRange(field, min, max);
  }
  const { timeoutMs, everySeconds } = values;
  if (own.has('timeoutMs') && (timeoutMs ?? 0) > 1000 * (everySeconds ?? 0)) {
    found['timeoutMs'] ??= problems.timeoutMs;
  }
  if (own.has('degradedOverMs') && (values.degradedOverMs ?? 0) > (timeoutMs ?? 0)) {
    found['degradedOverMs'] ??= problems.degradedOverMs;
  }
  if (values.link.trim() !== '' && !isTarget('http', values.link.trim())) found['link'] = problems.http;
  if (kind === 'http' && values.method === 'HEAD' && values.expectBody !== '') {
    found['expectBody'] = problems.expectBody;
  }
  return found;
}

function isTarget(kind: MonitorKind, url: string): boolean {
  if (kind === 'tcp') return /^tcp:\/\/.+:\d{1,5}$/.test(url);
  return URL.canParse(url) && /^https?:\/\/./.test(url);
}

/** Words refusals of the service that say less to a person than they could. */
export function wordRefusal(code: string | undefined, { problems }: FormTexts): string | undefined {
  if (code === 'monitor.slug_taken') return problems.slugTaken;
  return code === 'monitor.headers_cross_origin' ? problems.otherServer : undefined;
}

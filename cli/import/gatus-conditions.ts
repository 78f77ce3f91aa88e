import { monitorLimits } from '../../contract/monitors.js';
import type { GatusConfig } from './gatus-config.js';
import type { Settings } from './imported.js';
import {
  expectBodyOf,
  isRedirect,
  type Note,
  rangesOf,
  slowOf,
  statusMax,
  statusMin,
  within,
} from './request.js';

type Expected = Pick<Settings, 'expectStatus' | 'expectBody' | 'tlsExpiryDays' | 'degradedOverMs'>;
type Options = {
  config: Pick<GatusConfig, 'resolve' | 'show'>;
  isHttp: boolean;
  followsRedirects: boolean;
  timeoutMs: number;
};

/** The part of an endpoint's conditions that a monitor can check as well. */
export function conditionsOf(
  conditions: readonly string[],
  { config, isHttp, followsRedirects, timeoutMs }: Options,
  notes: Note[],
): Expected {
  const passes: ((status: number) => boolean)[] = [];
  const found: Expected = {};
  for (const raw of conditions) {
    const { subject = '', sign = '', wanted = '' } = partsOf(config.resolve(raw));
    const status = isHttp && subject === '[STATUS]' ? statusTest(sign, wanted) : undefined;
    const days = isHttp && subject === '[CERTIFICATE_EXPIRATION]' ? daysOf(sign, wanted, notes) : undefined;
    const ms =
      subject === '[RESPONSE_TIME]' && /^<=?$/.test(sign) && /^\d+$/.test(wanted) ? wanted : undefined;
    const [, part] = (subject === '[BODY]' && sign === '==' && /^pat\(\*([^*?]+)\*\)$/.exec(wanted)) || [];
    if (status !== undefined) passes.push(status);
    else if (days !== undefined) found.tlsExpiryDays = Math.max(days, found.tlsExpiryDays ?? 0);
    else if (ms !== undefined) {
      const slow = slowOf(Number(ms), timeoutMs);
      found.degradedOverMs = Math.min(slow, found.degradedOverMs ?? slow);
      notes.push('a response that is too slow makes it degraded, and not down');
    } else if (isHttp && part !== undefined && found.expectBody === undefined) {
      found.expectBody = expectBodyOf(part, notes);
    } else if (raw.trim() !== '[CONNECTED] == true') {
      notes.push(`the condition ${config.show(raw).trim()} is not checked`);
    }
  }
  if (!isHttp) return found;
  const all = Array.from({ length: statusMax - statusMin + 1 }, (_, index) => statusMin + index);
  const accepted = all.filter((status) => passes.every((test) => test(status)));
  // Gatus judges what a redirect leads to. A monitor stops at a status that it expects, so that none of them is one.
  const isFinal = followsRedirects && (passes.length === 0 || found.expectBody !== undefined);
  const judged = isFinal ? accepted.filter((status) => !isRedirect(status)) : accepted;
  return { ...found, expectStatus: rangesOf(judged) };
}

function partsOf(condition: string): { subject?: string; sign?: string; wanted?: string } {
  const [, subject, sign, wanted] = /^\s*(\[[A-Z_]+\])\s*(==|!=|<=?|>=?)\s*(.*?)\s*$/s.exec(condition) ?? [];
  return subject === undefined ? {} : { subject, sign: sign ?? '', wanted: wanted ?? '' };
}

function statusTest(sign: string, wanted: string): ((status: number) => boolean) | undefined {
  const list = (/^any\(([\d,\s]+)\)$/.exec(wanted)?.[1] ?? wanted).split(',').map((one) => one.trim());
  if (list.some((one) => !/^\d{1,3}$/.test(one))) return undefined;
  const bound = Number(list[0]);
  const tests: Readonly<Record<string, (status: number) => boolean>> = {
    '==': (status) => list.some((one) => Number(one) === status),
    '!=': (status) => !list.some((one) => Number(one) === status),
    ...(list.length === 1 && {
      '<': (status: number) => status < bound,
      '<=': (status: number) => status <= bound,
      '>': (status: number) => status > bound,
      '>=': (status: number) => status >= bound,
    }),
  };
  return tests[sign];
}

function daysOf(sign: string, wanted: string, notes: Note[]): number | undefined {
  const seconds = /^>=?$/.test(sign) ? durationOf(wanted) : undefined;
  if (seconds === undefined) return undefined;
  const days = Math.ceil(seconds / 86_400);
  return within(days, { min: 1, max: monitorLimits.tlsExpiryDaysMax }, (inside) =>
    notes.push(`its certificate must be valid for ${inside} days, not ${days}`),
  );
}

const unitSeconds: Readonly<Record<string, number>> = {
  ...{ ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 0.001, s: 1, m: 60, h: 3_600 },
};

/** A duration of Go, such as `1m30s`, in seconds; `undefined` for anything else. */
export function durationOf(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|ms|s|m|h)/g)];
  return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (unitSeconds[unit] ?? 1), 0);
}

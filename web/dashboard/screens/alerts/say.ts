import type { ManagedAlert } from '../../../../contract/manage/alerts.js';
import type { AlertSeverity } from '../../../../contract/manage/shared.js';
import { type Format, useFormat } from '../../format.js';
import type { Tone } from '../../kit/badge.js';
import { useTexts } from '../../texts.js';
import { type AlertsTexts, alertsTexts } from './texts.js';

export const severityTones: Readonly<Record<AlertSeverity, Tone>> = {
  page: 'bad',
  ticket: 'warn',
  info: 'info',
};

export type SaidAlert = Pick<ManagedAlert, 'rule' | 'group' | 'subject' | 'title' | 'value' | 'threshold'>;

/** Words about alerts, in the language of the reader. */
export type SayAlert = {
  /** Such as `12.3 % of the requests of shop fail`. */
  title(alert: SaidAlert): string;
  /** A figure in the unit of the rule. */
  figure(alert: SaidAlert, value: number): string;
  /** The service, endpoint or monitor; `undefined` for all of the page. */
  what(alert: SaidAlert): string | undefined;
};

export function useSayAlert(): SayAlert {
  const texts = useTexts(alertsTexts);
  const format = useFormat();
  return sayAlert(texts, format);
}

export function sayAlert(texts: AlertsTexts, format: Format): SayAlert {
  const words = { texts, format };
  return {
    title: (alert) => titleOf(alert, words) ?? alert.title,
    figure: (alert, value) => figureOf(alert, value, words),
    what: (alert) => whatOf(alert, texts),
  };
}

type Words = { texts: AlertsTexts; format: Format };

function whatOf({ group, subject }: SaidAlert, texts: AlertsTexts): string | undefined {
  const { service, endpoint, method } = subject;
  const path = [method, endpoint].filter((part) => part !== undefined).join(' ');
  if (path !== '') return service === undefined ? path : texts.ofService({ endpoint: path, service });
  return service ?? (group === '' ? subject.objective : group);
}

/** `undefined` where the condition is needed for the words and gone with its rule. */
function titleOf(alert: SaidAlert, { texts, format }: Words): string | undefined {
  const { kind, condition, name } = alert.rule;
  const { titles } = texts;
  const what = whatOf(alert, texts);
  const value = alert.value === null ? undefined : figureOf(alert, alert.value, { texts, format });
  const limit =
    alert.threshold === null ? '' : figureOf(alert, Math.ceil(alert.threshold), { texts, format });
  if (kind === 'reporter' || kind === 'monitor') return stateTitle(alert, { texts, format });
  if (value === undefined) return undefined;
  switch (kind) {
    case 'failure-rate':
      return what === undefined ? titles.failureRateAll({ value }) : titles.failureRate({ value, what });
    case 'traffic':
      return what === undefined
        ? titles.trafficAll({ value, limit })
        : titles.traffic({ value, what, limit });
    case 'latency': {
      if (condition === null) return undefined;
      const { percentile = 'p95' } = condition;
      return what === undefined
        ? titles.latencyAll({ percentile, value })
        : titles.latency({ percentile, what, value });
    }
    case 'burn-rate':
      return titles.burnRate({ what: what ?? name, value: format.number(alert.value ?? 0) });
    default:
      return undefined;
  }
}

/** A monitor or reporter is in a state; only the end of a certificate has a figure. */
function stateTitle(alert: SaidAlert, { texts, format }: Words): string | undefined {
  const { kind, condition } = alert.rule;
  const { titles } = texts;
  const what = alert.group || alert.rule.name;
  if (alert.value !== null && alert.threshold !== null)
    return titles.certificate({ what, value: figureOf(alert, alert.value, { texts, format }) });
  if (condition === null) return undefined;
  return titles[condition.is ?? (kind === 'monitor' ? 'down' : 'silent')]({ what });
}

function figureOf({ rule }: SaidAlert, value: number, { texts, format }: Words): string {
  switch (rule.kind) {
    case 'failure-rate':
      return format.share(value / 100);
    case 'latency':
      return format.ms(value);
    case 'traffic':
      return format.count(value);
    case 'monitor':
      return texts.days({ count: value });
    case 'burn-rate':
      return texts.times({ value: format.number(value) });
    default:
      return format.number(value);
  }
}

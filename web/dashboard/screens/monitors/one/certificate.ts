import type { StoredCheck } from '../../../../../contract/manage/monitor-checks.js';
import type { ManagedMonitor } from '../../../../../contract/manage/monitors.js';
import type { Tone } from '../../../kit/badge.js';
import type { MonitorsTexts } from '../texts.js';

export type Certificate = keyof MonitorsTexts['certificates'];

export const certificateTones: Readonly<Record<Certificate, Tone>> = {
  none: 'none',
  trusted: 'good',
  unknown: 'info',
  refused: 'bad',
  expiring: 'warn',
};

/** Returns the state of the certificate in the newest check; `undefined` for monitors that request nothing. */
export function certificateOfMonitor(
  { type, url }: Pick<ManagedMonitor, 'type' | 'url'>,
  newest: StoredCheck | undefined,
): Certificate | undefined {
  if (type !== 'http') return undefined;
  if (url?.startsWith('https:') !== true) return 'none';
  return newest === undefined ? 'unknown' : certificateOf(newest);
}

/** Returns the state of the certificate in a check over https: an answer comes only after it was found trusted. */
export function certificateOf({
  error,
  status,
}: {
  error: string | null;
  status: number | null;
}): Exclude<Certificate, 'none'> {
  if (error === 'tls') return 'refused';
  if (error === 'tls-expiring') return 'expiring';
  return status === null ? 'unknown' : 'trusted';
}

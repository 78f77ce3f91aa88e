import type { ManagedKey } from '../../../../contract/manage/keys.js';
import type { Tone } from '../../kit/badge.js';

export type KeyState = 'active' | 'expiring' | 'expired' | 'revoked';

/** Long enough to put another key in place of one that expires. */
const soonMs = 14 * 86_400_000;

export const toneOfState: Readonly<Record<KeyState, Tone>> = {
  active: 'good',
  expiring: 'warn',
  expired: 'bad',
  revoked: 'none',
};

/** Whether programs can use a key; `now` in milliseconds since the epoch. */
export function stateOfKey({ revokedAt, expiresAt }: ManagedKey, now: number): KeyState {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'active';
  const leftMs = Date.parse(expiresAt) - now;
  if (leftMs <= 0) return 'expired';
  return leftMs < soonMs ? 'expiring' : 'active';
}

export function isUsable(key: ManagedKey): boolean {
  const state = stateOfKey(key, Date.now());
  return state === 'active' || state === 'expiring';
}

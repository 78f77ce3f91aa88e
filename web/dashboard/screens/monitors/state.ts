import type { MonitorKind, MonitorState } from '../../../../contract/monitors.js';
import type { Tone } from '../../kit/badge.js';

/** States of a monitor, worst first. `waiting`: a heartbeat before its first call. */
export const shownStates = ['down', 'degraded', 'unknown', 'waiting', 'up', 'paused', 'manual'] as const;
export type ShownState = (typeof shownStates)[number];

export const tones: Readonly<Record<ShownState, Tone>> = {
  down: 'bad',
  degraded: 'warn',
  unknown: 'info',
  waiting: 'info',
  up: 'good',
  paused: 'none',
  manual: 'none',
};

type Standing = {
  type: MonitorKind;
  state: MonitorState | null;
  degradedSince: string | null;
  /** Absent for other kinds than heartbeats. */
  lastPingAt?: string | null;
  paused: boolean;
};

/** A paused monitor keeps its last state, which says nothing of now. */
export function shownState({ type, state, degradedSince, lastPingAt, paused }: Standing): ShownState {
  if (type === 'manual') return 'manual';
  if (paused) return 'paused';
  if (state === null) return type === 'heartbeat' && lastPingAt === null ? 'waiting' : 'unknown';
  return state === 'up' && degradedSince !== null ? 'degraded' : state;
}

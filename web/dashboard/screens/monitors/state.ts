import type { MonitorKind, MonitorState } from '../../../../contract/monitors.js';
import type { Tone } from '../../kit/badge.js';
import type { Texts } from '../../texts.js';

/** What a monitor does, worst first. */
export const shownStates = ['down', 'degraded', 'unknown', 'up', 'paused', 'manual'] as const;
export type ShownState = (typeof shownStates)[number];

export const tones: Readonly<Record<ShownState, Tone>> = {
  down: 'bad',
  degraded: 'warn',
  unknown: 'info',
  up: 'good',
  paused: 'none',
  manual: 'none',
};

type Standing = {
  type: MonitorKind;
  state: MonitorState | null;
  degradedSince: string | null;
  paused: boolean;
};

/** A paused monitor keeps its last state, which says nothing of now. */
export function shownState({ type, state, degradedSince, paused }: Standing): ShownState {
  if (type === 'manual') return 'manual';
  if (paused) return 'paused';
  return state === 'up' && degradedSince !== null ? 'degraded' : (state ?? 'unknown');
}

/** The states in a word or two. */
export const stateTexts: Texts<Readonly<Record<ShownState, string>>> = {
  en: {
    ...{ down: 'down', degraded: 'slow', unknown: 'not known', up: 'up', paused: 'paused' },
    manual: 'no checks',
  },
  de: {
    ...{ down: 'ausgefallen', degraded: 'langsam', unknown: 'unbekannt', up: 'erreichbar' },
    ...{ paused: 'pausiert', manual: 'ohne Prüfung' },
  },
};

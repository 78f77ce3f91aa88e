import type { MonitorState } from '../../../../contract/monitors.js';
import type { Tone } from '../../kit/badge.js';
import type { Texts } from '../../texts.js';

/** What a monitor does, worst first. */
export const shownStates = ['down', 'unknown', 'up', 'paused'] as const;
export type ShownState = (typeof shownStates)[number];

export const tones: Readonly<Record<ShownState, Tone>> = {
  down: 'bad',
  unknown: 'info',
  up: 'good',
  paused: 'none',
};

/** A paused monitor keeps its last state, which says nothing of now. */
export function shownState({ state, paused }: { state: MonitorState | null; paused: boolean }): ShownState {
  return paused ? 'paused' : (state ?? 'unknown');
}

/** The states in a word or two. */
export const stateTexts: Texts<Readonly<Record<ShownState, string>>> = {
  en: { down: 'down', unknown: 'not known', up: 'up', paused: 'paused' },
  de: { down: 'ausgefallen', unknown: 'unbekannt', up: 'erreichbar', paused: 'pausiert' },
};

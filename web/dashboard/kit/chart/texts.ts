import type { Texts } from '../../texts.js';

const en = {
  chart: (title: string) => `${title}, chart`,
  hint: 'Arrow keys move the cursor and Shift with an arrow key selects; Enter zooms to the selection, Escape ends it.',
  rowsHint:
    'Arrow keys move the cursor. Shift with left or right selects; Enter zooms to the selection, Escape ends it.',
  series: 'Series',
  newest: (time: string) => `At ${time}`,
  noData: 'no data',
  time: 'Time',
  select: 'Select a time range to zoom to',
  selected: (from: string, to: string) => `${from} to ${to} selected. Enter zooms to it.`,
  noEvents: 'Incidents and maintenance could not be loaded, so the charts lack them.',
  colours: 'Colours',
  many: (count: string) => `${count} or more`,
  gap: 'not reported',
  partOf: (share: string, all: string) => `${share} of ${all}`,
  notKept: 'no longer kept',
  keptFrom: (time: string) => `Figures before ${time} are no longer kept.`,
  unfinished: 'not over yet',
  unfinishedFrom: (time: string) => `Lighter from ${time}: not over yet`,
};

export type ChartTexts = typeof en;

const de: typeof en = {
  chart: (title: string) => `${title}, Diagramm`,
  hint: 'Pfeiltasten bewegen den Zeiger, mit der Umschalttaste wählen sie aus; Enter vergrößert die Auswahl, Escape beendet sie.',
  rowsHint:
    'Pfeiltasten bewegen den Zeiger. Mit der Umschalttaste wählen links und rechts aus; Enter vergrößert die Auswahl, Escape beendet sie.',
  series: 'Reihen',
  newest: (time: string) => `Um ${time}`,
  noData: 'keine Daten',
  time: 'Zeit',
  select: 'Einen Zeitraum zum Vergrößern auswählen',
  selected: (from: string, to: string) => `${from} bis ${to} ausgewählt. Enter vergrößert.`,
  noEvents: 'Störungen und Wartung konnten nicht geladen werden; sie fehlen in den Diagrammen.',
  colours: 'Farben',
  many: (count: string) => `${count} oder mehr`,
  gap: 'nicht gemeldet',
  partOf: (share: string, all: string) => `${share} von ${all}`,
  notKept: 'nicht mehr aufbewahrt',
  keptFrom: (time: string) => `Zahlen von vor ${time} werden nicht mehr aufbewahrt.`,
  unfinished: 'noch nicht vorbei',
  unfinishedFrom: (time: string) => `Heller ab ${time}: noch nicht vorbei`,
};

export const chartTexts: Texts<typeof en> = { en, de };

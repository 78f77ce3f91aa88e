import { type IncidentType, incidentLimits, type UpdateStatus } from '../../contract/incidents.js';
import type { FileMonitor } from '../../contract/manage/apply-monitor.js';
import { monitorLimits } from '../../contract/monitors.js';
import type { Impact } from '../../contract/public/service-states.js';
import { toLine } from '../../lib/visible-line.js';
import { hideCredentials, type Note } from './request.js';

/** The content of another product's file, in Heartline's terms. */
export type Imported = {
  monitors: ImportedMonitor[];
  /** Incidents and maintenance that are over. */
  incidents: ImportedIncident[];
  /** Things that cannot be taken, and why. */
  left: Left[];
  /** Parts of the file beside its monitors that are not taken. */
  notes: string[];
};

export type Left = { name: string; why: string };

/** A monitor to create, as a file of `heartline apply` has it. It gets a slug that the page does not have yet. */
export type ImportedMonitor = {
  settings: Omit<FileMonitor, 'group' | 'url' | 'headers' | 'body'> & Request;
  /** Name of its group. */
  group: string | undefined;
  isPaused: boolean;
  /** Whether a variable of the environment is part of the address, so that nothing prints it. */
  hasSecretUrl: boolean;
  /** Differences from the source. */
  notes: Note[];
};

/** The parts of a request that a file of `heartline apply` can take from variables, and an import does not. */
type Request = { url?: string; headers?: Record<string, string>; body?: string };

export type Settings = ImportedMonitor['settings'];

/** A past incident or maintenance. Times are in milliseconds since the epoch. */
export type ImportedIncident = {
  type: IncidentType;
  title: string;
  summary: string;
  services: readonly ImportedMonitor[];
  impact?: Impact;
  publishedAt: number;
  startedAt: number;
  endedAt: number;
  /** Oldest first. */
  updates: readonly { at: number; status: UpdateStatus; body: string }[];
};

/** Collects what an import makes. Nothing of it shows a password. */
export type Collector = {
  imported: Imported;
  /** Adds a monitor, whose texts are cut to what fits. */
  monitor(monitor: {
    settings: Settings;
    group?: string | undefined;
    isPaused?: boolean;
    hasSecretUrl?: boolean;
    notes?: readonly Note[];
  }): ImportedMonitor;
  /** Adds an incident, whose texts are cut to what fits; one that cannot be is left. */
  incident(incident: ImportedIncident): void;
  leave(name: string, why: string): void;
  note(note: string): void;
};

const nameCharsMax = 200;

export function createCollector(): Collector {
  const imported: Imported = { monitors: [], incidents: [], left: [], notes: [] };
  const leave = (name: string, why: string) =>
    void imported.left.push({ name: hideCredentials(toLine(name)), why: hideCredentials(why) });
  return {
    imported,
    leave,
    monitor({ settings, group = '', isPaused = false, hasSecretUrl = false, notes = [] }) {
      const told = [...notes];
      const description = toLine(settings.description ?? '');
      if (description.length > monitorLimits.descriptionChars) {
        told.push(`its description is cut at ${monitorLimits.descriptionChars} characters`);
      }
      const { description: _, ...rest } = settings;
      const name = [...toLine(settings.name)];
      if (name.length > nameCharsMax) told.push(`its name is cut at ${nameCharsMax} characters`);
      const monitor: ImportedMonitor = {
        settings: {
          ...{ ...rest, name: name.slice(0, nameCharsMax).join('') },
          ...(description !== '' && { description: cut(description, monitorLimits.descriptionChars) }),
        },
        group: [...toLine(group)].slice(0, nameCharsMax).join('') || undefined,
        ...{ isPaused, hasSecretUrl, notes: told.map(hidden) },
      };
      imported.monitors.push(monitor);
      return monitor;
    },
    incident({ title, summary, updates, ...rest }) {
      const { startedAt, endedAt } = rest;
      const shownTitle = cut(toLine(title), incidentLimits.titleChars) || 'Without a title';
      if (!(startedAt > 0 && endedAt >= startedAt)) {
        leave(shownTitle, 'its end is before its start, or it has no times');
        return;
      }
      imported.incidents.push({
        ...{ ...rest, title: shownTitle, summary: textOf(summary) || shownTitle },
        updates: updates
          .map((update) => ({
            ...update,
            at: Math.min(Math.max(update.at, startedAt), endedAt),
            body: textOf(update.body),
          }))
          .filter(({ body }) => body !== '')
          .toSorted((one, other) => one.at - other.at),
      });
    },
    note: (note) => void imported.notes.push(hideCredentials(note)),
  };
}

const hidden = (note: Note): Note =>
  typeof note === 'string' ? hideCredentials(note) : { mended: hideCredentials(note.mended) };

/** A text of several lines, without other control characters. */
function textOf(text: string): string {
  const printed = text.toWellFormed().replaceAll(/[^\P{Cc}\t\n\r]/gu, ' ');
  return cut(printed.trim(), incidentLimits.textChars);
}

/** Cuts a text without cutting a character that takes two places. */
function cut(text: string, charsMax: number): string {
  return text
    .slice(0, charsMax)
    .replace(/[\ud800-\udbff]$/, '')
    .trim();
}

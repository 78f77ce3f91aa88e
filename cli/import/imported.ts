import { type IncidentType, incidentLimits, type UpdateStatus } from '../../contract/incidents.js';
import type { ApplyFile, FileMonitor } from '../../contract/manage/apply.js';
import type { Impact } from '../../contract/public/service-states.js';
import { proposeSlug } from '../../lib/propose-slug.js';

/** What an import makes of the file of another product: sections of a file of `heartline apply`. */
export type Imported = {
  groups: NonNullable<ApplyFile['groups']>;
  monitors: Record<string, FileMonitor>;
  /** Incidents and maintenance that are over. */
  incidents: ImportedIncident[];
  /** What cannot be taken, and why. */
  left: { name: string; why: string }[];
  /** What is taken, but not as it was. */
  notes: { slug: string; note: string }[];
};

/** A past incident or maintenance. Times are in milliseconds since the epoch. */
export type ImportedIncident = {
  type: IncidentType;
  title: string;
  summary: string;
  /** Slugs of monitors that the import makes. */
  services: readonly string[];
  impact?: Impact;
  publishedAt: number;
  startedAt: number;
  endedAt: number;
  /** Oldest first. */
  updates: readonly { at: number; status: UpdateStatus; body: string }[];
};

/** Collects what an import makes; names become slugs, which differ from each other. */
export type Collector = {
  imported: Imported;
  /** Returns the slug of the group with this name. */
  group(name: string): string;
  /** Adds a monitor, and what was changed in it. Returns its slug. */
  monitor(monitor: FileMonitor, notes?: readonly string[]): string;
  /** Adds an incident, whose texts are cut to what fits. */
  incident(incident: ImportedIncident): void;
  leave(name: string, why: string): void;
};

const nameCharsMax = 200;

export function createCollector(): Collector {
  const imported: Imported = { groups: {}, monitors: {}, incidents: [], left: [], notes: [] };
  const groupSlugs = new Map<string, string>();
  return {
    imported,
    group(name) {
      const known = groupSlugs.get(name);
      if (known !== undefined) return known;
      const slug = freeSlug(name, imported.groups, 'group');
      imported.groups[slug] = { name: name.slice(0, nameCharsMax) };
      groupSlugs.set(name, slug);
      return slug;
    },
    monitor(monitor, notes = []) {
      const slug = freeSlug(monitor.name, imported.monitors, 'monitor');
      imported.monitors[slug] = { ...monitor, name: monitor.name.slice(0, nameCharsMax) };
      imported.notes.push(...notes.map((note) => ({ slug, note })));
      return slug;
    },
    incident: ({ title, summary, updates, ...rest }) =>
      imported.incidents.push({
        ...rest,
        title: title.slice(0, incidentLimits.titleChars),
        summary: summary.slice(0, incidentLimits.textChars),
        updates: updates.map((update) => ({
          ...update,
          body: update.body.slice(0, incidentLimits.textChars),
        })),
      }),
    leave: (name, why) => imported.left.push({ name, why }),
  };
}

/** Two names with one slug get a number; a name without letters is named by its kind. */
function freeSlug(name: string, taken: object, kind: string): string {
  const wanted = proposeSlug(name) || kind;
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const slug = `${wanted.slice(0, 63 - suffix.length)}${suffix}`;
    if (!(slug in taken)) return slug;
  }
}

/** A number within its bounds, and whether that changed it. */
export function within(value: number, min: number, max: number): { value: number; isChanged: boolean } {
  const inside = Math.min(max, Math.max(min, Math.round(value)));
  return { value: inside, isChanged: inside !== value };
}

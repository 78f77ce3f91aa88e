import type { MonitorGroup } from '../../contract/manage/monitor-groups.js';
import type { ManagedMonitor } from '../../contract/manage/monitors.js';
import { proposeSlug } from '../../lib/slug.js';
import { normalUrl } from '../apply/normal-form.js';
import type { ImportedMonitor } from './imported.js';

/** The monitors and groups of the page. */
export type Present = { groups: readonly MonitorGroup[]; monitors: readonly ManagedMonitor[] };

/** A monitor of the source under the slug that it has on the page, or gets there. */
export type Matched = {
  slug: string;
  groupSlug: string | undefined;
  isNew: boolean;
  monitor: ImportedMonitor;
};

/**
 * Finds the monitors of the source that the page has already. A monitor is known by its kind, its address and its group,
 * and one without an address by its kind, its name and its group; of several, the one with the same name comes first. One
 * with the same address and name that was moved to another group is the same as well. Slugs say nothing: two sources may
 * mean different things by one name, and a slug with a number depends on the order.
 */
export function matchMonitors(wanted: readonly ImportedMonitor[], present: Present): Matched[] {
  const groups = groupSlugs(wanted, present.groups);
  const groupOf = ({ group }: ImportedMonitor) => (group === undefined ? undefined : groups.get(group));
  const free = new Set(present.monitors);
  const found = new Map<ImportedMonitor, ManagedMonitor>();
  for (const isSame of [
    (one: ImportedMonitor, there: ManagedMonitor) =>
      isInGroup(there, groupOf(one)) && isNamed(there, one) && addressOf(one) === addressOf(there),
    (one: ImportedMonitor, there: ManagedMonitor) =>
      isInGroup(there, groupOf(one)) && hasAddress(one) && addressOf(one) === addressOf(there),
    (one: ImportedMonitor, there: ManagedMonitor) =>
      hasAddress(one) && isNamed(there, one) && addressOf(one) === addressOf(there),
    // The name was changed here. The slug of one without an address is the rest of the name that it had.
    (one: ImportedMonitor, there: ManagedMonitor) =>
      isInGroup(there, groupOf(one)) && !hasAddress(one) && slugOf(one) === there.slug,
  ]) {
    const byKind = (one: ImportedMonitor) =>
      [...free].find((there) => there.type === one.settings.type && isSame(one, there));
    for (const one of wanted.filter((monitor) => !found.has(monitor))) {
      const there = byKind(one);
      if (there === undefined) continue;
      found.set(one, there);
      free.delete(there);
    }
  }
  const taken = new Set(present.monitors.map(({ slug }) => slug));
  return wanted.map((monitor) => {
    const slug = found.get(monitor)?.slug ?? freeSlug(slugOf(monitor), taken);
    taken.add(slug);
    return { slug, groupSlug: groupOf(monitor), isNew: !found.has(monitor), monitor };
  });
}

const isInGroup = ({ group }: ManagedMonitor, slug: string | undefined) => (group ?? undefined) === slug;
const isNamed = ({ name }: ManagedMonitor, { settings }: ImportedMonitor) => name === settings.name;
const hasAddress = ({ settings }: ImportedMonitor) => settings.url !== undefined;
const slugOf = ({ settings }: ImportedMonitor) => proposeSlug(settings.name, 'monitor') || 'monitor';

/** An address in the form in which it is stored; an empty text for a heartbeat and for a service without checks. */
function addressOf(monitor: ImportedMonitor | ManagedMonitor): string {
  const url = 'settings' in monitor ? monitor.settings.url : monitor.url;
  return url === undefined || url === null ? '' : normalUrl(url);
}

/** Returns the slugs of groups by their names: groups of the page, by name or by slug, and new ones. */
function groupSlugs(
  wanted: readonly ImportedMonitor[],
  present: readonly MonitorGroup[],
): ReadonlyMap<string, string> {
  const names = new Set(wanted.flatMap(({ group }) => group ?? []));
  const byName = new Map(present.map(({ name, slug }) => [name, slug]));
  const slugs = new Map([...names].flatMap((name) => pairOf(name, byName.get(name))));
  const claimed = new Set(slugs.values());
  const taken = new Set(present.map(({ slug }) => slug));
  for (const name of names) {
    if (slugs.has(name)) continue;
    const proposed = proposeSlug(name, 'group') || 'group';
    // A group that was renamed here has the slug that it was made with.
    const slug = taken.has(proposed) && !claimed.has(proposed) ? proposed : freeSlug(proposed, taken);
    slugs.set(name, slug);
    claimed.add(slug);
    taken.add(slug);
  }
  return slugs;
}

const pairOf = (name: string, slug: string | undefined): [string, string][] =>
  slug === undefined ? [] : [[name, slug]];

/** Two names with one slug get a number. */
function freeSlug(wanted: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const slug = `${wanted.slice(0, 63 - suffix.length)}${suffix}`;
    if (!taken.has(slug)) return slug;
  }
}

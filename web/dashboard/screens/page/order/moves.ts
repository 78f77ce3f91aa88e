import type { MonitorOrder } from '../../../../../contract/manage/monitor-groups.js';

/** The order of a page as people move it: the monitors without a group, then each group with its monitors. */
export type Items = MonitorOrder['items'];
type Group = string | null;

/** Where a monitor goes to: in front of the one at `index` of the group as it is without the monitor. */
export type Place = { group: Group; index: number };

/** The group of a monitor and its place there; `undefined` for one that the order does not have. */
export function placeOf(items: Items, slug: string): Place | undefined {
  for (const { group, monitors } of items) {
    const index = monitors.indexOf(slug);
    if (index >= 0) return { group, index };
  }
  return undefined;
}

/** The order with a monitor at another place. */
export function moveMonitor(items: Items, slug: string, { group, index }: Place): Items {
  return items.map((item) => {
    const others = item.monitors.filter((one) => one !== slug);
    return { ...item, monitors: item.group === group ? others.toSpliced(index, 0, slug) : others };
  });
}

/** The place of a monitor one step up or down, which may be in the next group; `undefined` at the end. */
export function stepOf(items: Items, slug: string, step: -1 | 1): Place | undefined {
  const place = placeOf(items, slug);
  if (place === undefined) return undefined;
  const at = items.findIndex(({ group }) => group === place.group);
  const index = place.index + step;
  if (index >= 0 && index < (items[at]?.monitors.length ?? 0)) return { group: place.group, index };
  const next = items[at + step];
  return next && { group: next.group, index: step === 1 ? 0 : next.monitors.length };
}

/** The order with a group one step up or down among the groups; the same order at the end. */
export function moveGroup(items: Items, slug: string, step: -1 | 1): Items {
  const at = items.findIndex(({ group }) => group === slug);
  const other = items[at + step];
  const own = items[at];
  if (own === undefined || other === undefined || other.group === null) return items;
  return items.with(at, other).with(at + step, own);
}

/** A wanted order on what the page has now: what is gone leaves it, and what is new keeps the group that it has. */
export function rebase(wanted: Items, current: Items): Items {
  const kept = wanted.filter(({ group }) => current.some((item) => item.group === group));
  const added = current.filter(({ group }) => !kept.some((item) => item.group === group));
  const present = new Set(current.flatMap(({ monitors }) => monitors));
  const placed = new Set(kept.flatMap(({ monitors }) => monitors));
  const newIn = (group: Group): string[] =>
    (current.find((item) => item.group === group)?.monitors ?? []).filter((slug) => !placed.has(slug));
  return [...kept, ...added.map(({ group }) => ({ group, monitors: [] }))].map(({ group, monitors }) => ({
    group,
    monitors: [...monitors.filter((slug) => present.has(slug)), ...newIn(group)],
  }));
}

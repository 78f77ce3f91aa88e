/** Undocumented state of drivers' pools; any of it may look different in another version. */

/** The value at a path of a driver's object; `undefined` if there is none. */
export function valueAt(value: unknown, ...path: string[]): unknown {
  let found = value;
  for (const name of path) {
    if (!isObject(found)) return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}

/** The count at a path of a driver's object, `null` if there is none. Some drivers also accept text. */
export function countAt(value: unknown, ...path: string[]): number | null {
  const found = valueAt(value, ...path);
  const count = typeof found === 'string' && /^\d+$/.test(found) ? Number(found) : found;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null;
}

/** The limit at a path. To the drivers, 0 means no limit. */
export function limitAt(value: unknown, ...path: string[]): number | null {
  return countAt(value, ...path) || null;
}

/**
 * The objects of a list at a path: an iterable, or a queue with `length` and `get(i)` like that of mysql2. Returns
 * `undefined` if there is no such list, or if it holds something else.
 */
export function objectsAt(value: unknown, ...path: string[]): object[] | undefined {
  const list = valueAt(value, ...path);
  if (!isObject(list)) return undefined;
  const items = Symbol.iterator in list ? Array.from(list as Iterable<unknown>) : itemsOfQueue(list);
  return items?.every(isObject) ? items : undefined;
}

function itemsOfQueue(queue: object): unknown[] | undefined {
  const [length, get] = [countAt(queue, 'length'), valueAt(queue, 'get')];
  if (length === null || typeof get !== 'function') return undefined;
  return Array.from({ length }, (_, i): unknown => Reflect.apply(get, queue, [i]));
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

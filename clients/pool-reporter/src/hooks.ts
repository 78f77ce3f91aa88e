import type { EventEmitter } from 'node:events';

/** Removes a hook. */
export type Unhook = () => void;

export type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Runs work inside a call of the host or a driver, where an error would break their work, not ours. */
export function harmlessly(act: () => void): void {
  try {
    act();
  } catch {
    // Measurements may be wrong from here on; the host keeps working.
  }
}

/** Listens until removed. Swallows what the listener throws. */
export function listen<Arguments extends unknown[]>(
  emitter: EventEmitter,
  event: string,
  listener: (...args: Arguments) => void,
): Unhook {
  const quiet = (...args: Arguments): void => harmlessly(() => listener(...args));
  emitter.on(event, quiet);
  return () => emitter.off(event, quiet);
}

/** A function in front of a method, with the function that it calls and the one to restore. */
type Layer = { original: Method; before: PropertyDescriptor | undefined };

/** Layers by the function that replaces the method. */
const layers = new WeakMap<object, Layer>();

/**
 * Puts a function in front of a method of one object. Several reporters may do so, and remove theirs in any order. If
 * other code has wrapped the method since, the function stays and only passes calls on.
 *
 * @throws Error if there is no such method, because the object is not a pool of the driver.
 */
export function wrapMethod(target: object, name: string, wrap: (original: Method) => Method): Unhook {
  const original: unknown = Reflect.get(target, name);
  if (!isMethod(original)) throw new Error(`The given pool has no ${name}().`);
  const layer: Layer = { original, before: Object.getOwnPropertyDescriptor(target, name) };
  const handOn: Method = function (...args) {
    return layer.original.apply(this, args);
  };
  const wrapped = wrap(handOn);
  let active = true;
  const inPlace: Method = function (...args) {
    return (active ? wrapped : handOn).apply(this, args);
  };
  layers.set(inPlace, layer);
  Object.defineProperty(target, name, {
    value: inPlace,
    configurable: true,
    writable: true,
    enumerable: false,
  });
  return () => {
    active = false;
    takeAway(target, name, inPlace, layer);
  };
}

function takeAway(target: object, name: string, inPlace: Method, { original, before }: Layer): void {
  const first: unknown = Reflect.get(target, name);
  if (first === inPlace) {
    if (before === undefined) Reflect.deleteProperty(target, name);
    else Object.defineProperty(target, name, before);
    return;
  }
  for (let above = layerOf(first); above !== undefined; above = layerOf(above.original)) {
    if (above.original === inPlace) {
      above.original = original;
      above.before = before;
      return;
    }
  }
}

function layerOf(method: unknown): Layer | undefined {
  return isMethod(method) ? layers.get(method) : undefined;
}

function isMethod(value: unknown): value is Method {
  return typeof value === 'function';
}

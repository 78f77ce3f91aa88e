import type { EventEmitter } from 'node:events';

/** Takes a hook away again. */
export type Unhook = () => void;

export type Method = (this: unknown, ...args: unknown[]) => unknown;

/** For what runs in the middle of the host's or a driver's work: an error would end that, not ours. */
export function harmlessly(act: () => void): void {
  try {
    act();
  } catch {
    // What is measured may be wrong now; the host is right.
  }
}

/** Listens until it is taken away; whatever the listener throws stays here. */
export function listen<Arguments extends unknown[]>(
  emitter: EventEmitter,
  event: string,
  listener: (...args: Arguments) => void,
): Unhook {
  const quiet = (...args: Arguments): void => harmlessly(() => listener(...args));
  emitter.on(event, quiet);
  return () => emitter.off(event, quiet);
}

/** A function of ours before a method, with what it hands on to and what is to be put back. */
type Layer = { original: Method; before: PropertyDescriptor | undefined };

/** By the function that is in the method's place. */
const layers = new WeakMap<object, Layer>();

/**
 * Puts a function of ours before a method of one object. Several reporters may do so, and take theirs away in any
 * order. Where someone else has put theirs before ours since, ours stays and only hands on.
 *
 * @throws Error when there is no such method: this is not what the driver's pools look like.
 */
export function wrapMethod(target: object, name: string, wrap: (original: Method) => Method): Unhook {
  const original: unknown = Reflect.get(target, name);
  if (!isMethod(original)) throw new Error(`What was given as a pool has no ${name}().`);
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

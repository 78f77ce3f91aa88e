import type { EventEmitter } from 'node:events';

/** Takes a hook away again. */
export type Unhook = () => void;

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Listens until it is taken away; whatever the listener throws stays here. */
export function listen<Arguments extends unknown[]>(
  emitter: EventEmitter,
  event: string,
  listener: (...args: Arguments) => void,
): Unhook {
  const quiet = (...args: Arguments): void => {
    try {
      listener(...args);
    } catch {
      // A driver emits in the middle of its work: an error would end that, not ours.
    }
  };
  emitter.on(event, quiet);
  return () => emitter.off(event, quiet);
}

/**
 * Puts a function of ours before a method of one object. It is taken away by putting back what was there; where someone
 * else has put theirs before ours since, ours stays and only hands on.
 */
export function wrapMethod(target: object, name: string, wrap: (original: Method) => Method): Unhook {
  const before = Object.getOwnPropertyDescriptor(target, name);
  const original = Reflect.get(target, name) as Method; // The drivers' methods of these names are functions.
  const wrapped = wrap(original);
  let active = true;
  const inPlace: Method = function (...args) {
    return (active ? wrapped : original).apply(this, args);
  };
  Object.defineProperty(target, name, {
    value: inPlace,
    configurable: true,
    writable: true,
    enumerable: false,
  });
  return () => {
    active = false;
    if (Reflect.get(target, name) !== inPlace) return;
    if (before === undefined) Reflect.deleteProperty(target, name);
    else Object.defineProperty(target, name, before);
  };
}

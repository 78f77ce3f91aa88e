import type { Test } from 'tap';

/**
 * What `import t from 'tap'` gives the test file that a slot imports: see `tap-of-file.ts`. Every file loads a copy of
 * this module of its own, so the subtest passes through the one global object.
 */
const key = Symbol.for('heartline.test-of-file');

export function setFileTest(t: Test): void {
  Reflect.set(globalThis, key, t);
}

export default Reflect.get(globalThis, key) as Test;

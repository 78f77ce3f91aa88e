import type { Actor } from '../../control/audit/index.js';

/** Makes the changes of tests that call verbs by themselves. */
export const testActor: Actor = { type: 'cli', id: 'cli', name: 'test' };

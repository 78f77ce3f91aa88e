import { once } from 'node:events';
import type { Attack } from './attack.js';

/** Does nothing: the row shows how much of the others is noise. */
export const none: Attack = {
  title: 'nobody',
  async run(_target, signal) {
    await once(signal, 'abort');
  },
};

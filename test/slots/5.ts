import { runSlot } from '../support/slot.js';

await runSlot();

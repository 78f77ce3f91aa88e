import type { Attack } from './attack.js';
import { emptySpans, fewerEmptySpans } from './empty-spans.js';
import { flood } from './flood.js';
import { hangUps } from './hang-ups.js';
import { hangingChats, hangingWebhooks } from './hanging-receivers.js';
import { health } from './health.js';
import { incidents } from './incidents.js';
import { madeUp } from './made-up.js';
import { none } from './none.js';
import { openApi } from './open-api.js';
import { ownStore } from './own-store.js';
import { reads } from './reads.js';
import { sql } from './sql.js';

/** By the name that `--only` takes, in the order of the report. */
export const attacks = {
  none,
  ownStore,
  incidents,
  flood,
  madeUp,
  reads,
  sql,
  hangUps,
  health,
  openApi,
  emptySpans,
  fewerEmptySpans,
  hangingChats,
  hangingWebhooks,
} satisfies Record<string, Attack>;
export type AttackName = keyof typeof attacks;

export const attackNames = Object.keys(attacks) as AttackName[]; // Its keys are exactly these names.

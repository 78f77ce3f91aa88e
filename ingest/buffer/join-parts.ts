import { createSlices } from '../../lib/slices.js';
import { Block } from '../commit/collapse.js';
import { encodePart } from '../commit/encode-block.js';
import { rowsMax } from '../commit/histograms.js';
import type { EncodedBlock } from '../commit/store-block.js';
import { ReplayNames } from '../record/replay-record.js';
import { addPacked } from './packed-block.js';

/** A part; one of a version before this has a `body` of RowBinary. */
export type HeldPart = { rows: number; events: number } & (
  | { packed: Buffer; body: null }
  | { packed: null; body: Buffer }
);

/** Reading so many names and collapsing so many rows takes some 5 to 10 ms. */
const stepsPerSlice = 2_000;

/**
 * Collapses the parts of a held block into one block of RowBinary, in which equal rows of them are one row again. Gives
 * the event loop back every few milliseconds, also within a part.
 */
export function createJoin(token: string) {
  const names = new ReplayNames();
  const chunks: Buffer[] = [];
  const spend = createSlices(stepsPerSlice);
  let block = new Block();
  let rows = 0;
  let events = 0;

  /**
   * Whether the rows have versions, as the first ones do: all rows of a block have or none. Rows of a version behind 65,000
   * without one count for the service alone.
   */
  let hasReleases: boolean | undefined;

  async function encode(): Promise<void> {
    if (block.rows === 0) return;
    hasReleases ??= block.hasReleases;
    chunks.push(await encodePart(block, { isFirst: chunks.length === 0, hasReleases }));
    rows += block.rows;
    block = new Block();
  }

  return {
    async add(part: HeldPart): Promise<void> {
      events += part.events;
      if (part.packed === null) {
        hasReleases = false;
        chunks.push(part.body);
        rows += part.rows;
        return;
      }
      // A write whose outcome is unknown is a part, although the block in memory had no room for it.
      if (block.rows + part.rows > rowsMax) await encode();
      for (const _step of addPacked(Buffer.from(part.packed), names, block)) {
        const pause = spend(1);
        if (pause !== undefined) await pause;
      }
    },
    /** Returns the block; `undefined` when there was no part. */
    async end(): Promise<EncodedBlock | undefined> {
      await encode();
      return chunks.length === 0 ? undefined : { token, bytes: Buffer.concat(chunks), rows, events };
    },
  };
}

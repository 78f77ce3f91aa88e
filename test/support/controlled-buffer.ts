import type { BlockBuffer, EncodedBlock } from '../../ingest/commit/store-block.js';

export type ControlledBuffer = BlockBuffer & {
  behind: boolean;
  /** Whether writes succeed; `false` at first. */
  works: boolean;
  blocks: EncodedBlock[];
};

/** A delivery buffer in memory that has a backlog from its first block on, until the test clears it. */
export function makeControlledBuffer(): ControlledBuffer {
  const buffer: ControlledBuffer = {
    behind: false,
    works: false,
    blocks: [],
    async look() {
      if (!buffer.works) throw new Error('The connection was closed.');
      return buffer.behind;
    },
    async put(block) {
      if (!buffer.works) throw new Error('The connection was closed.');
      buffer.blocks.push({ ...block, bytes: Buffer.from(block.bytes) });
      buffer.behind = true;
    },
  };
  return buffer;
}

import { Block, type Events, eventsMax } from '../commit/collapse.js';
import type { Arrival, Committed } from '../commit/commit.js';
import { rowsMax } from '../commit/histograms.js';
import type { Source } from '../names/names.js';
import { EventRecord } from '../record/event-record.js';
import { ReplayNames, readBatches } from '../record/replay-record.js';

/** A batch of a write. */
export type Entry = Pick<Arrival, 'pageId' | 'at'> & {
  /** The key of its id; `undefined` for a batch without one. */
  key: string | undefined;
  /** Page and key, for those who look for a batch that is on its way. */
  name: string | undefined;
  hasContent: boolean;
  rows: number;
  /** Makes the answer for a batch that is stored; `undefined` stands for one that left nothing to store. */
  describe(committed: Committed | undefined): unknown;
};

/** Batches that leave in one transaction. */
export type Write = {
  /** All of them, collapsed. */
  block: Block;
  /** The batches apart, for when one of them turns out to be a duplicate. */
  record: EventRecord;
  /** Batches that came collapsed, by their place. */
  blocks: Map<number, Block>;
  entries: Entry[];
};

/** Bounds of the write that waits. A batch that would cross one of them is refused with `storeBusy`. */
const bounds = { rows: rowsMax - 2_000, events: eventsMax, recordBytes: 24 * 1024 * 1024, batches: 20_000 };

export const makeWrite = (): Write => ({
  ...{ block: new Block(), record: new EventRecord(), blocks: new Map(), entries: [] },
});

/** Empties a write and keeps its memory. */
export function clearWrite(write: Write): void {
  write.block.clear();
  write.record.clear();
  write.blocks.clear();
  write.entries = [];
}

/** Whether a write has room for a batch: of so many events, each of which may become a row, or of so many rows. */
export function fits(
  { block, record, entries }: Write,
  content: Events | Block,
  callers: readonly Source[],
): boolean {
  const rows = content instanceof Block ? content.rows + callers.length : content.length;
  const events = content instanceof Block ? content.events : content.length;
  return (
    block.rows + rows < bounds.rows &&
    block.events + events <= bounds.events &&
    record.bytes < bounds.recordBytes &&
    record.fits(rows) &&
    entries.length < bounds.batches
  );
}

/** Copies a batch into a write. Returns its place. */
export function addToWrite(
  { block, record, blocks, entries }: Write,
  content: Events | Block,
  callers: readonly Source[],
  { pageId, at, key, name, describe }: Omit<Entry, 'rows' | 'hasContent'>,
): number {
  const place = entries.length;
  let rows: number;
  if (content instanceof Block) {
    record.add(noEvents, callers, at);
    blocks.set(place, content);
    block.addBlock(content);
    rows = content.rows;
  } else {
    record.add(content, callers, at);
    rows = block.add(content);
  }
  for (const caller of callers) block.addReport(caller, at);
  entries.push({ pageId, at, key, name, describe, rows, hasContent: callers.length > 0 });
  return place;
}

/** A batch that came collapsed adds its callers to the record. */
const noFigures = { status: new Uint16Array(), at: new Float64Array(), latencyMs: new Float64Array() };
const noEvents: Events = {
  ...{ length: 0, source: [], endpoint: [], method: [], message: [], samples: new Map(), ...noFigures },
};

/** Returns the block to store: all batches but those at the places in `late`; `undefined` when nothing is left. */
export function blockWithout(write: Write, late: ReadonlyMap<number, unknown>): Block | undefined {
  const kept = late.size === 0 ? write.block : collapseWithout(write, late);
  return kept.rows === 0 ? undefined : kept;
}

/** A block cannot give back what it has added up, so the other batches are collapsed once more. */
function collapseWithout({ record, blocks }: Write, late: ReadonlyMap<number, unknown>): Block {
  const block = new Block();
  const payload = Buffer.concat(record.chunks());
  const names = new ReplayNames();
  // A key that came both ways is one row again; as two, the rows might be more than a block can have.
  for (const collapsed of blocks.values()) names.adopt(collapsed);
  let place = 0;
  for (const { batch, callers, arrival } of readBatches({ version: record.version, payload }, names)) {
    if (!late.has(place)) {
      block.add(batch);
      for (const caller of callers) if (caller !== undefined) block.addReport(caller, arrival);
      const collapsed = blocks.get(place);
      if (collapsed !== undefined) block.addBlock(collapsed);
    }
    place += 1;
  }
  return block;
}

import { isUtf8 } from 'node:buffer';
import type { Chunks } from '../../lib/chunks.js';
import { findJsonExcess } from '../../lib/json.js';
import type { PageNames } from '../names/page-names.js';
import type { Batch } from './batch.js';
import { fillBatch, textOf } from './fill-batch.js';
import type { Version } from './raw-event.js';
import type { ReaderMemory } from './reader-memory.js';
import { Spellings } from './spellings.js';
import type { Window } from './time-window.js';

/**
 * The members of a body beside its events, not checked yet. `reporter` is undefined in v1, and `version` and `environment`
 * in v2.
 */
export type Envelope = { reporter: unknown; batchId: unknown; version: unknown; environment: unknown };

/** Places in the outcome of a body, as in `wasm/body.ts`. */
const outcomes = {
  nonAscii: 1,
  id: 2,
  reporterStart: 4,
  reporterLength: 5,
  version: 6,
  environment: 8,
} as const;

/**
 * Reads bodies of the usual forms in WebAssembly, straight from their bytes into columns. Names are recognised by their
 * bytes; only the messages of failing responses become strings. One reader serves all pages.
 */
export class BodyReader {
  private readonly spellings: Spellings;

  constructor(private readonly memory: ReaderMemory) {
    this.spellings = new Spellings(memory);
  }

  /**
   * Reads a body into an empty batch. Returns `undefined`, and leaves the batch empty, for a body of another form, one
   * that is not JSON included.
   */
  read(
    chunks: Chunks,
    page: PageNames,
    window: Window,
    version: Version,
    batch: Batch,
  ): Envelope | undefined {
    const { memory, spellings } = this;
    const end = this.copy(chunks);
    if (end === undefined) return undefined;
    spellings.makeRoom();
    const { arrival, oldest, newest } = window;
    const count = memory.readBody(end - memory.body, page.spellingsKey, version, arrival, oldest, newest);
    if (count < 0) return undefined;
    const isAscii = memory.outcome[outcomes.nonAscii] === 0;
    if (!isAscii && !isUtf8(memory.bytes.subarray(memory.body, end))) return undefined;
    const reporter = version === 2 ? this.parseReporter() : undefined;
    if (version === 2 && reporter === undefined) return undefined;
    fillBatch(batch, count, { memory, spellings, page, window, version, isAscii });
    const [batchId, sent, environment] = [outcomes.id, outcomes.version, outcomes.environment].map((place) =>
      this.textAt(place, isAscii),
    );
    return { reporter, batchId, version: sent, environment };
  }

  /** Copies a body and zeros behind it into the memory. Returns where it ends; `undefined` when it is too long. */
  private copy(chunks: Chunks): number | undefined {
    const { bytes, body, bodyBytesMax, paddingBytes } = this.memory;
    let end = body;
    for (const chunk of chunks) {
      if (end + chunk.length > body + bodyBytesMax) return undefined;
      bytes.set(chunk, end);
      end += chunk.length;
    }
    bytes.fill(0, end, end + paddingBytes);
    return end;
  }

  /** The text whose address and length are at these places of the outcome. */
  private textAt(place: number, isAscii: boolean): string | undefined {
    const { memory } = this;
    const start = memory.outcome[place] ?? 0;
    return start === 0 ? undefined : textOf(start, memory.outcome[place + 1] ?? 0, { memory, isAscii });
  }

  /** Returns the object of the reporter; `undefined` for a text that is no JSON, or nests too deep. */
  private parseReporter(): unknown {
    const { bytes, outcome } = this.memory;
    const start = outcome[outcomes.reporterStart] ?? 0;
    const text = bytes.subarray(start, start + (outcome[outcomes.reporterLength] ?? 0));
    // The body is one level around it.
    if (findJsonExcess(text, 1) !== undefined) return undefined;
    try {
      return JSON.parse(text.toString('utf8'));
    } catch {
      return undefined;
    }
  }
}

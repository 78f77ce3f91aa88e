import { join } from 'node:path';
import fc from 'fast-check';
import type { Test } from 'tap';
import { Block, type Events } from '../../../ingest/commit/collapse.js';
import type { SealedSegment } from '../../../ingest/log/segment.js';
import {
  makeName,
  makeRelease,
  makeSource,
  makeSourceOf,
  type Name,
  type Source,
} from '../../../ingest/names/names.js';
import { EventRecord, recordVersion } from '../../../ingest/record/event-record.js';
import { newId, type PageId } from '../../../lib/ids.js';
import { createLogFile } from '../../../lib/outbox/log/log-file.js';
import { tokenOf } from '../../../lib/outbox/log/log-folder.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

export const now = Date.UTC(2026, 0, 31, 12, 0, 30, 500);

/** The part of one batch in a write: its events, and who called. */
export type LoggedBatch = { events: Events; callers: readonly Source[]; arrival: number };

/** The names of a page, each once, as its registry has them. */
export function makePage() {
  const id = newId<PageId>(now);
  const names = new Map<string, Name>();
  const sources = new Map<string, Source>();
  return {
    id,
    name(text: string): Name {
      const name = names.get(text) ?? makeName(text);
      names.set(text, name);
      return name;
    },
    /** A service with a version is `shop@2.4.1`. */
    source(kind: Source['kind'], text: string): Source {
      const source = sources.get(`${kind} ${text}`) ?? makeVersionedSource(id, kind, text);
      sources.set(`${kind} ${text}`, source);
      return source;
    },
  };
}

function makeVersionedSource(id: PageId, kind: Source['kind'], text: string): Source {
  const [name = '', version] = kind === 'service' ? text.split('@') : [text];
  const base = makeSource(id, kind, name);
  return version === undefined
    ? base
    : makeSourceOf(base.pageBytes, kind, name, makeRelease(version, 'production'));
}

export type Page = ReturnType<typeof makePage>;

export type PlainEvent = {
  kind: Source['kind'];
  source: string;
  endpoint: string;
  method: string;
  status: number;
  at: number;
  ms: number;
  message: string | undefined;
};

export function makeLoggedBatch(
  page: Page,
  events: readonly PlainEvent[],
  callers: readonly Pick<PlainEvent, 'kind' | 'source'>[] = [],
  arrival = now,
): LoggedBatch {
  return {
    events: {
      length: events.length,
      source: events.map(({ kind, source }) => page.source(kind, source)),
      endpoint: events.map(({ endpoint }) => page.name(endpoint)),
      method: events.map(({ method }) => page.name(method)),
      status: Uint16Array.from(events, ({ status }) => status),
      at: Float64Array.from(events, ({ at }) => at),
      latencyMs: Float64Array.from(events, ({ ms }) => ms),
      message: events.map(({ message }) => message),
      samples: new Map(),
    },
    callers: callers.map(({ kind, source }) => page.source(kind, source)),
    arrival,
  };
}

/** A batch of one event, of which a test recognises the endpoint. */
export function makeSmallBatch(page: Page, endpoint: string): LoggedBatch {
  const event = { method: 'GET', status: 200, at: now, ms: Number.NaN, message: undefined };
  return makeLoggedBatch(page, [{ kind: 'service', source: 'shop', endpoint, ...event }]);
}

export function addTo(block: Block, { events, callers, arrival }: LoggedBatch): void {
  block.add(events);
  for (const caller of callers) block.addReport(caller, arrival);
}

export function blockOf(batches: readonly LoggedBatch[]): Block {
  const block = new Block();
  for (const batch of batches) addTo(block, batch);
  return block;
}

/** The payload of a record of these batches. */
export function payloadOf(batches: readonly LoggedBatch[], record = new EventRecord()): Buffer {
  for (const { events, callers, arrival } of batches) record.add(events, callers, arrival);
  return Buffer.concat(record.chunks());
}

const kind = fc.constantFrom<Source['kind'][]>('service', 'reporter');
const text = fc.oneof(
  fc.constantFrom('a', 'b', 'é', '😀', '\ud800', 'x'.repeat(300)),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const event: fc.Arbitrary<PlainEvent> = fc.record({
  kind,
  source: fc.oneof(text, fc.constantFrom('a@1', 'a@2', 'b@1')),
  endpoint: text.map((path) => `/${path}`),
  method: fc.constantFrom('GET', 'POST'),
  status: fc.integer({ min: 100, max: 599 }),
  at: fc.integer({ min: now - 14 * 86_400_000, max: now }),
  ms: fc.oneof(
    fc.constant(Number.NaN),
    fc.constantFrom(0, 1.0005, 86_400_000),
    fc.double({ min: 0, max: 1e6, noNaN: true }),
  ),
  message: fc.option(text, { nil: undefined }),
});
const batch = fc.record({
  page: fc.nat({ max: 2 }),
  events: fc.array(event, { maxLength: 30 }),
  callers: fc.array(fc.record({ kind, source: text }), { maxLength: 3 }),
  arrival: fc.integer({ min: now - 60_000, max: now }),
});

/** Records of any batches of three pages. The names of a page are the same objects in all of them. */
export const records: fc.Arbitrary<LoggedBatch[][]> = fc
  .array(fc.array(batch, { minLength: 1, maxLength: 4 }), { maxLength: 5 })
  .map((all) => {
    const pages = [makePage(), makePage(), makePage()] as const;
    return all.map((one) =>
      one.map(({ page, events, callers, arrival }) =>
        makeLoggedBatch(pages[page] ?? pages[0], events, callers, arrival),
      ),
    );
  });

/** Writes a segment of these records. Its block is in memory if `keepsBlock` is set. */
export async function writeSegment(
  t: Pick<Test, 'teardown'>,
  all: readonly (readonly LoggedBatch[])[],
  {
    folder,
    name = '0123456789abcdef.1',
    keepsBlock = false,
    pages = undefined,
    since = now,
  }: SegmentOptions = {},
): Promise<SealedSegment> {
  const path = join(folder ?? (await temporaryFolder(t)), `${name}.log`);
  const file = await createLogFile(path, { mayBeLost: () => false });
  for (const batches of all) await file.append(recordVersion, [payloadOf(batches)], () => true);
  await file.close();
  const block = keepsBlock ? blockOf(all.flat()) : undefined;
  return { store: 'default', token: tokenOf(path), path, bytes: file.bytes, since, pages, block };
}

type SegmentOptions = {
  folder?: string;
  name?: string;
  keepsBlock?: boolean;
  pages?: SealedSegment['pages'];
  since?: number;
};

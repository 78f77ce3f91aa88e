import { isDeepStrictEqual } from 'node:util';
import type { Name } from '../../ingest/names/names.js';
import type { PageNames } from '../../ingest/names/page-names.js';
import { Batch } from '../../ingest/read/batch.js';
import type { Version } from '../../ingest/read/raw-event.js';
import { type BatchReader, parseBatch } from '../../ingest/read/read-batch.js';
import { windowV1, windowV2 } from '../../ingest/read/time-window.js';
import { ServiceError } from '../../lib/service-error.js';
import { makePageNames, registerAll } from './batches.js';
import { bodiesAt } from './event-bodies.js';

type Known = { endpoints?: string[]; services?: string[] };

/** The names of one page twice: one for the reader in WebAssembly, one for JSON.parse. */
export type TwinPage = { fast: PageNames; plain: PageNames };

export function makeTwinPage(known: Known): TwinPage {
  return { fast: makePageNames(known), plain: makePageNames(known) };
}

/** Removes names from both. */
export function forgetOfTwins({ fast, plain }: TwinPage, { endpoints = [], services = [] }: Known): void {
  for (const page of [fast, plain]) page.forget({ endpoints, services, reporters: [] });
}

/** Reads bodies in both ways, with batches that are used again as in the service. */
export function createTwinReaders(reader: BatchReader) {
  const [fast, plain] = [new Batch(), new Batch()];

  return {
    /**
     * Reads a body in both ways, and returns both outcomes when they differ; `undefined` when they are the same. With
     * `registers`, the pages know the names of the body afterwards.
     */
    compare(body: Buffer, pages: TwinPage, version: Version, registers = false): object | undefined {
      const window = version === 1 ? windowV1(bodiesAt) : windowV2(bodiesAt);
      const half = body.length >> 1;
      const parts = [body.subarray(0, half), body.subarray(half)];
      const outcomes = {
        fast: outcomeOf(fast, pages.fast, () => reader.read(parts, pages.fast, window, version, fast)),
        plain: outcomeOf(plain, pages.plain, () => parseBatch(body, pages.plain, window, version, plain)),
      };
      if (registers) {
        registerAll(fast, pages.fast);
        registerAll(plain, pages.plain);
      }
      return isDeepStrictEqual(outcomes.fast, outcomes.plain) ? undefined : outcomes;
    },
    /** How the last body was read, for a search for bodies of new kinds. */
    describeLast: (): string => `${fast.length} ${[...fast.rejections.keys()]} ${fast.unread.size}`,
  };
}

function outcomeOf(batch: Batch, page: PageNames, read: () => object): object {
  batch.clear();
  try {
    const envelope = read();
    const described = { ...envelope, ...describeBatch(batch, page) };
    // Rejecting further events shows whether the batch knows the places of the ones that it rejected.
    batch.filter((i) => (i % 3 === 1 ? { reason: 'endpoint_limit', describe: () => '' } : undefined));
    return { ...described, afterwards: [...batch.rejections] };
  } catch (error) {
    if (error instanceof ServiceError) return { kind: error.kind, message: error.message, hint: error.hint };
    throw error;
  }
}

/** Returns everything that a reading leaves in a batch, with each name as text and where the page has it. */
function describeBatch(batch: Batch, page: PageNames): object {
  const nameOf = (name: Name | null | undefined, held: Name | null | undefined) =>
    name && { text: name.text, isHeld: name === held };
  const events = Array.from({ length: batch.length }, (_, i) => {
    const [source, endpoint, method] = [batch.source[i], batch.endpoint[i], batch.method[i]];
    const isUnassigned = source === page.unassigned;
    return {
      isUnassigned,
      source: nameOf(source, isUnassigned ? source : page.services.get(source?.text ?? '')),
      unknownSource: batch.unknownSource[i],
      endpoint: nameOf(endpoint, page.endpoints.get(endpoint?.text ?? '')),
      unknownEndpoint: batch.unknownEndpoint[i],
      method: nameOf(method, page.method(method?.text ?? '')),
      status: batch.status[i],
      at: batch.at[i],
      latencyMs: batch.latencyMs[i],
      message: batch.message[i],
      failing: batch.failing.get(i),
    };
  });
  const { hasUnknown, rejected, rejections, unread, oddEvents } = batch;
  const rejectedFor = structuredClone([...rejections]);
  return { events, hasUnknown, rejected, rejections: rejectedFor, unread: [...unread], oddEvents };
}

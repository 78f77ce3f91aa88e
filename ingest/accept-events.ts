import type { Acknowledgement, Reporter, ReporterAcknowledgement } from '../contract/events.js';
import type { Chunks } from '../lib/chunks.js';
import { describe, describeFor, summarise } from './acknowledge.js';
import { parseBatchId } from './batch-ids/batch-id.js';
import type { Arrival } from './commit/commit.js';
import { type CommitDeps, type Handed, hand } from './hand-to-commit.js';
import { distinctSources, nameEvents } from './names/name-events.js';
import type { NameRegistry } from './names/name-registry.js';
import { nameVersions } from './names/name-versions.js';
import type { Source } from './names/names.js';
import type { PageNames } from './names/page-names.js';
import { untilNamed } from './names/until-named.js';
import type { VersionRegistry } from './names/version-registry.js';
import type { Batch, SpareBatches } from './read/batch.js';
import { type Drops, guardEndpointsPerBatch, noteDrop } from './read/guard.js';
import { parseRelease, parseReporter } from './read/parse-reporter.js';
import type { BatchReader } from './read/read-batch.js';
import { windowV1, windowV2 } from './read/time-window.js';
import { takeSamples } from './samples/take-samples.js';
import type { ServiceSignals } from './signals/service-signals.js';

export type AcceptDeps = CommitDeps & {
  registry: NameRegistry;
  versions: VersionRegistry;
  spare: SpareBatches;
  reader: BatchReader;
};
export type AcceptOtlpDeps = AcceptDeps & { signals: ServiceSignals };

/** A body as it came in, or joined. */
export type Incoming<Body extends Chunks | Buffer = Chunks> = Arrival & { body: Body };

/**
 * Reads a body whose events name their service (v1), and hands it to the commit. Waits for nothing and returns no promise
 * while all names are known, which is the usual case.
 *
 * @throws ServiceError for a body of the wrong form
 */
export function handEvents(
  deps: AcceptDeps,
  incoming: Incoming,
): Handed<Acknowledgement> | Promise<Handed<Acknowledgement>> {
  const { registry, reader } = deps;
  const { pageId, body, at } = incoming;
  const names = registry.names(pageId);
  return untilNamed(deps.spare, (batch, refused) => {
    const envelope = reader.read(body, names, windowV1(at), 1, batch);
    const sent = { batchId: parseBatchId(envelope.batchId), reporterId: undefined };
    const drops: Drops = new Map();
    guardEndpointsPerBatch(batch, drops);
    const missing = batch.hasUnknown ? nameEvents(registry, names, batch, drops, { refused }) : undefined;
    if (missing !== undefined) return missing;
    const callers = distinctSources(batch);
    const release = parseRelease(envelope);
    const unversioned =
      release === undefined ? undefined : nameVersions(deps.versions, pageId, batch, release);
    if (unversioned !== undefined) return unversioned;
    takeSamples(batch, () => release);
    const summary = summarise(batch, drops);
    return hand(deps, incoming, sent, { content: batch, callers, summary }, describe);
  });
}

/**
 * Reads the body of a reporter (v2), and hands it to the commit. Returns no promise while the reporter and all names are
 * known.
 *
 * @throws ServiceError as handEvents()
 */
export function handReport(
  deps: AcceptDeps,
  incoming: Incoming,
): Handed<ReporterAcknowledgement> | Promise<Handed<ReporterAcknowledgement>> {
  const { registry, reader } = deps;
  const { pageId, body, at } = incoming;
  const names = registry.names(pageId);
  /** The outcome of the registration of the reporter. */
  let registered: { source: Source | undefined } | undefined;
  return untilNamed(deps.spare, (batch, refused) => {
    const envelope = reader.read(body, names, windowV2(at), 2, batch);
    const { reporter, release, isStopping } = parseReporter(envelope.reporter);
    const sent = { batchId: parseBatchId(envelope.batchId), reporterId: reporter.reporterId };
    const { source } = registered ?? {
      source: isStopping ? undefined : registry.findReporter(names, reporter),
    };
    if (registered === undefined && source === undefined) {
      const wanted = isStopping ? { ...reporter, stoppedAt: at } : reporter;
      return {
        async register() {
          registered = { source: await registry.reporter(pageId, wanted) };
          return undefined;
        },
      };
    }
    const drops: Drops = new Map();
    if (source === undefined) refuseAll(batch, reporter, drops);
    else {
      fileUnder(batch, names, { reporter, source });
      guardEndpointsPerBatch(batch, drops);
      const missing = batch.hasUnknown
        ? nameEvents(registry, names, batch, drops, { refused, reporter: source })
        : undefined;
      if (missing !== undefined) return missing;
      const unversioned =
        release === undefined ? undefined : nameVersions(deps.versions, pageId, batch, release);
      if (unversioned !== undefined) return unversioned;
    }
    takeSamples(batch, () => release);
    const callers = source === undefined ? [] : [source];
    const summary = summarise(batch, drops);
    return hand(deps, incoming, sent, { content: batch, callers, summary }, describeFor(reporter.reporterId));
  });
}

/**
 * Gives the events of a reporter their source: the service that it names, otherwise the reporter. Looks the service up once
 * a batch, so an event costs the same with one and without.
 */
function fileUnder(
  batch: Batch,
  names: PageNames,
  { reporter: { service }, source }: { reporter: Reporter; source: Source },
): void {
  const known = service === undefined ? source : names.services.get(service);
  batch.source.fill(known, 0, batch.length);
  if (known !== undefined) return;
  batch.unknownSource.fill(service, 0, batch.length);
  batch.hasUnknown = true;
}

/** Refuses a new reporter on a full page: neither its events nor its call are stored. */
function refuseAll(batch: Batch, { reporterId }: Reporter, drops: Drops): void {
  batch.filter(() => noteDrop(drops, 'reporter_limit', reporterId));
  if (drops.size === 0) drops.set('reporter_limit', { count: 0, names: [reporterId] });
}

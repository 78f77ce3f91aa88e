import { unassignedService } from '../../contract/limits.js';
import type { PageId } from '../../lib/ids.js';
import type { Batch } from '../read/batch.js';
import { noteVersionLimit } from '../read/unread.js';
import type { Source } from './names.js';
import type { Registration } from './until-named.js';
import type { SentRelease, VersionRegistry, WantedVersion } from './version-registry.js';

/**
 * Gives the events of services the source of the version that their sender names: one for the whole batch, or that of
 * each event. A version without room counts for its service alone. Looks once for neighbours that have both in common.
 * Changes nothing and returns the registration that the batch needs first, when there is one.
 */
export function nameVersions(
  versions: VersionRegistry,
  pageId: PageId,
  batch: Batch,
  releaseOf: SentRelease | ((i: number) => SentRelease | undefined),
): Registration | undefined {
  const found = findSources(versions, pageId, batch, releaseOf);
  if (found.wanted.length > 0) {
    return {
      async register() {
        await versions.register(pageId, found.wanted);
        return undefined;
      },
    };
  }
  for (const { from, to, source } of found.runs) batch.source.fill(source, from, to);
  if (found.refused !== undefined) noteVersionLimit(batch, found.refused);
  return undefined;
}

/** Neighbours that get the same source. */
type Run = { from: number; to: number; source: Source };
type Found = { wanted: WantedVersion[]; runs: Run[]; refused: string | undefined };

function findSources(
  versions: VersionRegistry,
  pageId: PageId,
  batch: Batch,
  releaseOf: SentRelease | ((i: number) => SentRelease | undefined),
): Found {
  const found: Found = { wanted: [], runs: [], refused: undefined };
  let last: { base: Source | undefined; release: SentRelease | undefined } | undefined;
  let run: Run | undefined;
  for (let i = 0; i < batch.length; i += 1) {
    const base = batch.source[i];
    const release = typeof releaseOf === 'function' ? releaseOf(i) : releaseOf;
    if (last?.base === base && last?.release === release) {
      if (run !== undefined) run.to = i + 1;
      continue;
    }
    last = { base, release };
    run = undefined;
    // Neither a reporter without a service nor events without one have versions.
    if (base?.kind !== 'service' || release === undefined || isUnassigned(base)) continue;
    const standing = versions.find(pageId, base, release);
    if (standing === undefined) addWanted(found.wanted, { base, service: base.text, ...release });
    else if (standing.source === undefined) found.refused ??= base.text;
    else {
      run = { from: i, to: i + 1, source: standing.source };
      found.runs.push(run);
    }
  }
  return found;
}

function addWanted(wanted: WantedVersion[], one: WantedVersion): void {
  const isKnown = wanted.some(
    ({ base, version, environment }) =>
      base === one.base && version === one.version && environment === one.environment,
  );
  if (!isKnown) wanted.push(one);
}

/** A service that has this name itself is in lower case. */
function isUnassigned({ text }: Source): boolean {
  return text === unassignedService;
}

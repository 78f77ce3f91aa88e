import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { type PollLoop, startPollLoop } from '../../lib/poll-loop.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import {
  type ClaimedTranslation,
  claimTranslations,
  recordFailed,
  recordTranslated,
  releaseTranslations,
} from './queue.js';
import { packTexts, splitText } from './split-text.js';
import { createLibreTranslator, TranslationError, type Translator } from './translator.js';

export type TranslationLoopDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** See createLibreTranslator(). Without it, texts wait for an instance that has one. */
  translateUrl: string | undefined;
  /** Limit of one request; 30 s when absent. */
  requestTimeoutMs?: number;
  /** Pause of the loop after a run that found nothing; see startPollLoop(). */
  pollMs?: number;
  /** Called when texts were translated, or have failed. */
  onTranslated?: () => void;
  /** Called with each page of which texts were translated. */
  onChange?: (pageId: PageId) => void;
};

const requestTimeoutMsUsual = 30 * secondMs;
const claimedMax = 50;
const leaseMs = 5 * minuteMs;
/** Pairs of languages that are translated at once, so that a pair without an answer does not hold up the others. */
const lanes = 3;

/** Translates the requested texts. Any number of instances may run on one database. */
export function startTranslationLoop({
  translateUrl,
  requestTimeoutMs = requestTimeoutMsUsual,
  onTranslated = () => {},
  ...deps
}: TranslationLoopDeps): PollLoop {
  if (translateUrl === undefined) return { wake() {}, async stop() {} };
  const translator = createLibreTranslator(translateUrl, { requestTimeoutMs });
  return startPollLoop(
    'translations',
    async (signal) => {
      const found = await translateTexts({ ...deps, translator }, signal);
      if (found) onTranslated();
      return found;
    },
    deps,
  );
}

type Deps = Pick<TranslationLoopDeps, 'sql' | 'clock' | 'log' | 'onChange'> & { translator: Translator };

/**
 * Translates a bounded number of due texts. Returns whether there were any. Releases the texts that are left when
 * `stopping` is aborted, or when half of the lease is over.
 */
export async function translateTexts(deps: Deps, stopping: AbortSignal): Promise<boolean> {
  const mayBeginUntil = deps.clock.now() + leaseMs / 2;
  const claimed = await claimTranslations(deps, { limit: claimedMax, leaseMs });
  const pairs = groupByLanguages(claimed);
  const mayBegin = () => !stopping.aborted && deps.clock.now() < mayBeginUntil;
  const ended = await Promise.allSettled(
    Array.from({ length: lanes }, async () => {
      for (let pair = pairs.shift(); pair !== undefined; pair = pairs.shift()) {
        await translatePair(deps, pair, { stopping, mayBegin });
      }
    }),
  );
  for (const lane of ended) if (lane.status === 'rejected') throw lane.reason;
  return claimed.length > 0;
}

function groupByLanguages(claimed: readonly ClaimedTranslation[]): ClaimedTranslation[][] {
  const pairs = new Map<string, ClaimedTranslation[]>();
  for (const row of claimed) {
    const pair = `${row.sourceLanguage} ${row.language}`;
    pairs.set(pair, [...(pairs.get(pair) ?? []), row]);
  }
  return [...pairs.values()];
}

/** All rows have the same pair of languages. */
async function translatePair(
  deps: Deps,
  rows: readonly ClaimedTranslation[],
  { stopping, mayBegin }: { stopping: AbortSignal; mayBegin: () => boolean },
): Promise<void> {
  const left = batchesOf(rows);
  for (let batch = left.shift(); batch !== undefined; batch = left.shift()) {
    if (!mayBegin()) return releaseTranslations(deps, [batch, ...left].flat());
    try {
      await recordTranslated(deps, batch, await translateBatch(deps.translator, batch, stopping));
      for (const pageId of new Set(batch.map((row) => row.pageId))) deps.onChange?.(pageId);
    } catch (error) {
      if (stopping.aborted) return releaseTranslations(deps, [batch, ...left].flat());
      if (!(error instanceof TranslationError)) throw error;
      // The remaining texts would get the same answer, one after the other.
      const failed = error.kind === 'unavailable' ? [batch, ...left.splice(0)].flat() : batch;
      await recordFailed(deps, failed, error);
      logFailure(deps.log, failed, error);
    }
  }
}

/** A text that has failed goes alone from then on, because it may have caused the failure of the others. */
function batchesOf(rows: readonly ClaimedTranslation[]): ClaimedTranslation[][] {
  const fresh = rows.filter(({ attempts }) => attempts === 0);
  const failed = rows.filter(({ attempts }) => attempts > 0);
  return [...packTexts(fresh, ({ sourceText }) => sourceText), ...failed.map((row) => [row])];
}

async function translateBatch(
  translator: Translator,
  batch: readonly ClaimedTranslation[],
  stopping: AbortSignal,
): Promise<string[]> {
  const [first] = batch;
  if (first === undefined) return [];
  const { sourceLanguage, language } = first;
  const split = batch.map(({ sourceText }) => splitText(sourceText));
  const texts = split.flatMap((pieces) => pieces.map(({ text }) => text)).filter((text) => text !== '');
  const translated: string[] = [];
  for (const group of packTexts(texts, (text) => text)) {
    translated.push(...(await translator.translate(group, sourceLanguage, language, stopping)));
  }
  return split.map((pieces, i) => {
    const parts = pieces.map(({ before, text, after }) =>
      text === '' ? before : `${before}${translated.shift() ?? ''}${after}`,
    );
    const translation = clean(parts.join(''), batch[i]?.sourceText ?? '');
    if (translation === '') throw new TranslationError('refused', 'The answer holds no text.');
    return translation;
  });
}

/** Removes what the text itself may not hold: control characters, and line breaks where the source has none. */
function clean(translation: string, source: string): string {
  const unwanted = source.includes('\n') ? /[^\P{Cc}\n\t]+/gu : /\p{Cc}+/gu;
  return translation.toWellFormed().replaceAll(unwanted, ' ').trim();
}

function logFailure(
  log: Log,
  failed: readonly ClaimedTranslation[],
  { kind, message }: TranslationError,
): void {
  const fields = {
    from: failed[0]?.sourceLanguage,
    to: failed[0]?.language,
    texts: failed.length,
    pageIds: [...new Set(failed.map(({ pageId }) => pageId))],
  };
  log.warn({ ...fields, kind, reason: message }, 'Texts were not translated; they are retried later.');
}

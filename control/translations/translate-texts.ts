import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type ClaimedTranslation, claimTranslations } from './claim-translations.js';
import { recordFailed, recordTranslated, releaseTranslations } from './record-translations.js';
import { packTexts, splitText } from './translation-pieces.js';
import { TranslationError, type Translator } from './translator.js';

type Deps = { sql: Sql; clock: Clock; log: Log; translator: Translator };

const claimedMax = 50;
const leaseMs = 5 * 60_000;
/** Language pairs that are translated at once, so that one without an answer does not hold up the others. */
const lanes = 3;

/**
 * Has a bounded number of due texts translated; answers whether there were any. Those that are not done when
 * `stopping` is aborted, or when their lease is nearly over, are given back.
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

/** All rows are of one pair of languages. */
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
    } catch (error) {
      if (stopping.aborted) return releaseTranslations(deps, [batch, ...left].flat());
      if (!(error instanceof TranslationError)) throw error;
      // The texts behind would only wait for the same answer, one after the other.
      const failed = error.kind === 'unavailable' ? [batch, ...left.splice(0)].flat() : batch;
      await recordFailed(deps, failed, error);
      logFailure(deps.log, failed, error);
    }
  }
}

/** A text that has failed goes alone from then on: it may be why those beside it failed. */
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

/** Without what the text itself may not hold: control characters, and line breaks where there were none. */
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
  log.warn({ ...fields, kind, reason: message }, 'Texts were not translated; they are tried again later.');
}

import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { joinPollLoops, type PollLoop, startPollLoop } from '../../lib/poll-loop.js';
import type { Sql } from '../../sql/open-postgres.js';
import { createLibreTranslator } from './libre-translator.js';
import { translateTexts } from './translate-texts.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** See createLibreTranslator(). Without one, texts wait until an instance has one. */
  translateUrl: string | undefined;
  /** Most that one request may take; 30 s when not given. */
  requestTimeoutMs?: number;
};

const requestTimeoutMsUsual = 30_000;

/** Fills in the translations that were asked for. Any number of instances may run on one database. */
export function startTranslationLoop({
  translateUrl,
  requestTimeoutMs = requestTimeoutMsUsual,
  ...deps
}: Deps): PollLoop {
  if (translateUrl === undefined) return joinPollLoops([]);
  const translator = createLibreTranslator(translateUrl, { requestTimeoutMs });
  return startPollLoop('translations', (signal) => translateTexts({ ...deps, translator }, signal), deps);
}

import { limits } from '../../contract/limits.js';
import { minuteMs } from '../../lib/times.js';
import type { SentRelease } from '../names/version-registry.js';
import type { Batch } from '../read/batch.js';
import type { RawEvent } from '../read/raw-event.js';
import { readErrorType, readSample, redactMessage } from './read-sample.js';

type Failing = { place: number; event: RawEvent; errorType: string };

/**
 * Reads the samples of the failing events of a batch whose names are known, and replaces secrets in their messages. Of
 * those of one endpoint, minute and type of error only the newest are read, because replacing secrets takes some 50 µs for
 * a long stack; the others count.
 */
export function takeSamples(batch: Batch, releaseOf: (event: number) => SentRelease | undefined): void {
  if (batch.failing.size === 0) return;
  const groups = new Map<string, Failing[]>();
  for (const [place, event] of batch.failing) {
    const errorType = readErrorType(event);
    const minute = Math.floor((batch.at[place] ?? 0) / minuteMs);
    const key = JSON.stringify([batch.serviceAt(place), batch.endpoint[place]?.text, minute, errorType]);
    const group = groups.get(key) ?? [];
    group.push({ place, event, errorType });
    groups.set(key, group);
  }
  batch.failing.clear();
  for (const group of groups.values()) {
    const newestFirst = group.sort((a, b) => (batch.at[b.place] ?? 0) - (batch.at[a.place] ?? 0));
    for (const [i, { place, event, errorType }] of newestFirst.entries()) {
      const at = batch.at[place] ?? 0;
      const message = redactMessage(batch.message[place]);
      batch.message[place] = message;
      const isKept = i < limits.samplesPerMinute;
      batch.samples.set(
        place,
        isKept
          ? readSample(event, at, message, releaseOf(place)?.version ?? '')
          : { errorType, at, json: '' },
      );
    }
  }
}

import { createReporter } from '@heartline/reporter';
import { median } from '../support/report.js';

/** Nanoseconds of an event: `record` as the caller sees it, `whole` of all threads, with encoding, gzip and sending. */
export type RecordCost = { recordNs: number; wholeNs: number; baselineNs: number };

const rounds = 9;
/** Events of one request. The reporter gets the time to send each before the next. */
const burst = 500;
const burstsPerRound = 200;
const templates = Array.from({ length: 50 }, (_, i) => `/api/v1/nouns-${i}/:id`);

/** Compares record() with counting into a Map, the least that a reporter could do. */
export async function measureRecord(url: string): Promise<RecordCost> {
  const reporter = createReporter({ url, key: 'none', service: 'bench' });
  const counts = new Map<string, number>();
  const results: RecordCost[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const baseline = await measure((endpoint) => counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1));
    const record = await measure(
      (endpoint, i) => reporter.record({ endpoint, method: 'GET', status: 200, ms: (i % 100) + 0.25 }),
      () => reporter.flush(),
    );
    results.push({ baselineNs: baseline.callNs, recordNs: record.callNs, wholeNs: record.wholeNs });
  }
  const { recorded, sent } = reporter.stats();
  if (recorded !== sent) throw new Error(`Of ${recorded} events ${sent} were sent.`);
  await reporter.stop();
  const medianOf = (key: keyof RecordCost): number => median(results.map((result) => result[key]));
  return {
    recordNs: medianOf('recordNs'),
    wholeNs: medianOf('wholeNs'),
    baselineNs: medianOf('baselineNs'),
  };
}

/** `wholeNs` is processor time of this process with everything between the calls. */
async function measure(
  call: (endpoint: string, i: number) => unknown,
  after: () => Promise<void> = async () => {},
): Promise<{ callNs: number; wholeNs: number }> {
  const events = burst * burstsPerRound;
  const cpuAt = process.cpuUsage();
  let ms = 0;
  for (let at = 0; at < burstsPerRound; at += 1) {
    const startedAt = performance.now();
    for (let i = 0; i < burst; i += 1) call(templates[i % templates.length] ?? '', i);
    ms += performance.now() - startedAt;
    await after();
  }
  const { user, system } = process.cpuUsage(cpuAt);
  return { callNs: (ms * 1e6) / events, wholeNs: ((user + system) * 1000) / events };
}

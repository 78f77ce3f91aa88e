import { type ChildProcess, fork } from 'node:child_process';
import type { LoadResult } from '../support/load.js';
import { nextMessage } from '../support/next-message.js';
import { processorSeconds } from '../support/processor-time.js';
import { line, median } from '../support/report.js';
import { untilIdle } from '../support/until-idle.js';
import type { Variant } from './hello.js';
import type { HelloLoad } from './load-process.js';
import { measureRecord } from './record.js';

/**
 * Measures the cost of reporting every request: the time of record(), and the throughput and processor time of a
 * hello-world of Fastify: bare, with a hook that does nothing, with the reporter, with a histogram of prom-client, and with
 * the instrumentation of OpenTelemetry.
 */
const variants: readonly Variant[] = ['plain', 'hook', 'reporter', 'prom-client', 'opentelemetry'];
const rounds = 9;
/** Several requests wait on each connection, so that the application never does. */
const load = { connections: 8, depth: 8, seconds: 5 };
const warmUpSeconds = 3;

type Application = { variant: Variant; process: ChildProcess; port: number };
type Figures = { perSecond: number; cpuUs: number };

const sink = fork(new URL('./sink.js', import.meta.url));
const sinkUrl = `http://127.0.0.1:${(await nextMessage<{ port: number }>(sink)).port}`;
const sender = fork(new URL('./load-process.js', import.meta.url));

const { recordNs, wholeNs, baselineNs } = await measureRecord(sinkUrl);
line(`counting into a Map       ${baselineNs.toFixed(0).padStart(6)} ns`);
line(`record()                  ${recordNs.toFixed(0).padStart(6)} ns`);
line(`with encoding and sending ${wholeNs.toFixed(0).padStart(6)} ns of processor time an event`);

const applications = await Promise.all(variants.map(start));
for (const application of applications) await measure(application, warmUpSeconds);
const results = new Map<Variant, Figures[]>(variants.map((variant) => [variant, []]));
for (let round = 0; round < rounds; round += 1) {
  // In turn from either end, so that none always follows the same one.
  for (const application of round % 2 === 0 ? applications : applications.toReversed()) {
    await untilIdle();
    results.get(application.variant)?.push(await measure(application, load.seconds));
  }
}

line('');
line(`${''.padEnd(14)} requests/s   of plain   processor time    more than plain`);
for (const variant of variants) {
  const of = (key: keyof Figures): number[] => results.get(variant)?.map((figures) => figures[key]) ?? [];
  const plain = (key: keyof Figures): number[] => results.get('plain')?.map((figures) => figures[key]) ?? [];
  const ratio = median(of('perSecond').map((value, round) => value / (plain('perSecond')[round] ?? 0)));
  const moreUs = median(of('cpuUs').map((value, round) => value - (plain('cpuUs')[round] ?? 0)));
  line(
    `${variant.padEnd(14)} ${median(of('perSecond')).toFixed(0).padStart(10)} ${(ratio * 100).toFixed(1).padStart(8)} % ${median(of('cpuUs')).toFixed(1).padStart(13)} µs ${moreUs.toFixed(1).padStart(15)} µs`,
  );
}
for (const { process } of applications) process.disconnect();
sender.disconnect();
sink.disconnect();

async function start(variant: Variant): Promise<Application> {
  const child = fork(new URL('./hello.js', import.meta.url), [variant, sinkUrl]);
  const { port } = await nextMessage<{ port: number }>(child);
  return { variant, process: child, port };
}

async function measure({ process, port }: Application, seconds: number): Promise<Figures> {
  const pid = process.pid ?? 0;
  const before = await processorSeconds(pid);
  sender.send({ ...load, port, seconds } satisfies HelloLoad);
  const result = await nextMessage<LoadResult>(sender);
  if (result.refused > 0) throw new Error(`${result.refused} requests failed.`);
  const cpuSeconds = (await processorSeconds(pid)) - before;
  return { perSecond: result.requests / result.seconds, cpuUs: (cpuSeconds / result.requests) * 1e6 };
}

import { deferred } from '../lib/deferred.js';
import type { FromWorker, ToWorker, WorkerStart } from './cluster-messages.js';
import type { ReadMetrics } from './metrics.js';
import type { Service } from './service.js';

/** How long the answer of /metrics waits for the other processes; the process that asks them waits for less. */
const metricsMsMax = 5_000;

/**
 * One of the processes that `runWorkers` starts: waits to be told the stores, starts the service, and ends it when
 * it is told to, or when the process that started it is gone.
 */
export async function serveAsWorker(
  startService: (start: WorkerStart, readMetrics: ReadMetrics) => Promise<Service>,
): Promise<void> {
  const answers = new Map<number, (text: string) => void>();
  const started = deferred<WorkerStart>();
  let service: Service | undefined;
  let lastId = 0;

  const readMetrics: ReadMetrics = async (own) => {
    const id = ++lastId;
    const answer = new Promise<string>((resolve) => answers.set(id, resolve));
    tell({ type: 'askMetrics', id });
    const timer = setTimeout(() => void own.metrics().then((text) => answers.get(id)?.(text)), metricsMsMax);
    const text = await answer;
    clearTimeout(timer);
    answers.delete(id);
    return text;
  };

  async function stop(): Promise<void> {
    const timer = setTimeout(() => process.exit(1), 60_000);
    timer.unref();
    await service?.close();
    process.exit(0);
  }

  async function onMessage(message: ToWorker): Promise<void> {
    if (message.type === 'start') started.resolve(message.start);
    else if (message.type === 'stop') await stop();
    else if (message.type === 'metrics') answers.get(message.id)?.(message.text);
    else
      tell({ type: 'collected', id: message.id, metrics: (await service?.metrics.getMetricsAsJSON()) ?? [] });
  }

  process.on('message', (message: ToWorker) => void onMessage(message));
  process.on('disconnect', () => void stop());
  // A terminal signals every process of the group; the one that started this one says when to stop.
  process.on('SIGINT', () => {}).on('SIGTERM', () => void stop());
  tell({ type: 'ready' });
  try {
    service = await startService(await started.promise, readMetrics);
    tell({ type: 'listening', url: service.url });
  } catch (error) {
    tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
    process.disconnect();
  }
}

function tell(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}

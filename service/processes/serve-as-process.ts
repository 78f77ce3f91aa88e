import { deferred } from '../../lib/deferred.js';
import { minuteMs } from '../../lib/times.js';
import type { ReadMetrics } from '../metrics.js';
import type { RestartClickHouse } from '../options.js';
import type { Service } from '../service.js';
import type { FromProcess, ProcessStart, ToProcess } from './messages.js';

/** What this process asks of the one that started it. */
export type ProcessAsks = { readMetrics: ReadMetrics; restartClickHouse: RestartClickHouse };

/** How long /metrics waits for the other processes; the process that collects their metrics waits for 4 s. */
const metricsMsMax = 5_000;
/** How long the process may take to stop before it exits anyway. */
const stopMsMax = minuteMs;

/**
 * Runs one of the processes that `runProcesses` starts: waits for the addresses of the stores, starts the service, and
 * stops it on request, or when the process that started it has exited.
 */
export async function serveAsProcess(
  startService: (start: ProcessStart, asks: ProcessAsks) => Promise<Service>,
): Promise<void> {
  const answers = new Map<number, (text: string) => void>();
  const restarts = new Map<number, (restarts: boolean) => void>();
  const started = deferred<ProcessStart>();
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

  function restartClickHouse(reason: string): Promise<boolean> {
    const id = ++lastId;
    tell({ type: 'restartClickHouse', id, reason });
    // The process that answers decides at once, and this one ends with it.
    return new Promise((resolve) => restarts.set(id, resolve));
  }

  async function stop(): Promise<void> {
    const timer = setTimeout(() => process.exit(1), stopMsMax);
    timer.unref();
    await service?.close();
    process.exit(0);
  }

  async function onMessage(message: ToProcess): Promise<void> {
    if (message.type === 'start') started.resolve(message.start);
    else if (message.type === 'stop') await stop();
    else if (message.type === 'metrics') answers.get(message.id)?.(message.text);
    else if (message.type === 'clickhouseRestart') {
      restarts.get(message.id)?.(message.restarts);
      restarts.delete(message.id);
    } else {
      const metrics = (await service?.metrics.getMetricsAsJSON()) ?? [];
      tell({ type: 'collected', id: message.id, metrics });
    }
  }

  process.on('message', (message: ToProcess) => void onMessage(message));
  process.on('disconnect', () => void stop());
  // A terminal sends SIGINT to every process of the group; the process that started this one asks it to stop.
  process.on('SIGINT', () => {}).on('SIGTERM', () => void stop());
  tell({ type: 'ready' });
  try {
    service = await startService(await started.promise, { readMetrics, restartClickHouse });
    tell({ type: 'listening', url: service.url });
  } catch (error) {
    tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
    process.disconnect();
  }
}

function tell(message: FromProcess): void {
  if (process.connected) process.send?.(message);
}

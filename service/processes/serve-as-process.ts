import { deferred } from '../../lib/deferred.js';
import type { PageId } from '../../lib/ids.js';
import { endsWithin } from '../../lib/timeout.js';
import { minuteMs } from '../../lib/times.js';
import type { ReadMetrics } from '../metrics.js';
import type { RestartClickHouse } from '../options.js';
import type { Service } from '../service.js';
import type { OthersSettled, SettleOthers } from '../settle-everywhere.js';
import type { FromProcess, ProcessStart, Settled, ToProcess } from './messages.js';

/** Questions of this process to the one that started it. */
export type ProcessAsks = {
  readMetrics: ReadMetrics;
  restartClickHouse: RestartClickHouse;
  settleOthers: SettleOthers;
  /** Whether the start of all of them is over. */
  hasStarted(): boolean;
};

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
  const metrics = createAsks<string>();
  const restarts = createAsks<boolean>();
  const settles = createAsks<OthersSettled>();
  const started = deferred<ProcessStart>();
  let service: Service | undefined;
  let isAnnounced = false;

  const readMetrics: ReadMetrics = async (own) => {
    const text = metrics.ask((id) => ({ type: 'askMetrics', id }));
    return (await endsWithin(text, metricsMsMax)) ? text : own.metrics();
  };
  // The process that answers decides at once, and this one ends with it.
  const restartClickHouse: RestartClickHouse = (reason) =>
    restarts.ask((id) => ({ type: 'restartClickHouse', id, reason }));
  const settleOthers: SettleOthers = (pageId) => settles.ask((id) => ({ type: 'askSettle', id, pageId }));

  /** Until it has started, the process may find events in the log that another one has left. */
  async function settle(pageId: PageId): Promise<Settled> {
    const oldest = service === undefined ? performance.timeOrigin : await service.settle(pageId);
    return oldest === undefined ? {} : { oldest };
  }

  async function stop(): Promise<void> {
    const timer = setTimeout(() => process.exit(1), stopMsMax);
    timer.unref();
    await service?.close();
    process.exit(0);
  }

  async function onMessage(message: ToProcess): Promise<void> {
    if (message.type === 'start') started.resolve(message.start);
    else if (message.type === 'announced') isAnnounced = true;
    else if (message.type === 'stop') await stop();
    else if (message.type === 'metrics') metrics.answered(message.id, message.text);
    else if (message.type === 'clickhouseRestart') restarts.answered(message.id, message.restarts);
    else if (message.type === 'othersSettled') settles.answered(message.id, message.settled);
    else if (message.type === 'settle') {
      tell({ type: 'settled', id: message.id, settled: await settle(message.pageId) });
    } else {
      const own = (await service?.metrics.getMetricsAsJSON()) ?? [];
      tell({ type: 'collected', id: message.id, metrics: own });
    }
  }

  process.on('message', (message: ToProcess) => void onMessage(message));
  process.on('disconnect', () => void stop());
  // A terminal sends SIGINT to every process of the group; the process that started this one asks it to stop.
  process.on('SIGINT', () => {}).on('SIGTERM', () => void stop());
  tell({ type: 'ready' });
  try {
    const hasStarted = (): boolean => isAnnounced;
    const asks = { readMetrics, restartClickHouse, settleOthers, hasStarted };
    service = await startService(await started.promise, asks);
    tell({ type: 'listening', url: service.url });
  } catch (error) {
    tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
    process.disconnect();
  }
}

/** Asks the process that started this one. An answer resolves the ask of its id. */
function createAsks<Answer>() {
  const open = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  return {
    ask(makeQuestion: (id: number) => FromProcess): Promise<Answer> {
      const id = ++lastId;
      const answer = new Promise<Answer>((resolve) => open.set(id, resolve));
      tell(makeQuestion(id));
      return answer;
    },
    answered(id: number, answer: Answer): void {
      open.get(id)?.(answer);
      open.delete(id);
    },
  };
}

function tell(message: FromProcess): void {
  if (process.connected) process.send?.(message);
}

import type { Worker } from 'node:cluster';
import type { ToWorker } from './cluster-messages.js';

/** A worker that is just ending has no channel any more; then there is nobody to tell. */
export function tellWorker(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

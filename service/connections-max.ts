import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { connectionsMaxUsual } from '../api/listening.js';

/** The limits that the connections of clients have to fit into. */
type Room = {
  /** Descriptors that the process may open. */
  descriptors: number;
  /** Memory of the machine or the container. */
  memoryBytes: number;
  /** Processes that share the memory. */
  processes: number;
};

/** Descriptors for everything else: a quarter, but no more than this. The stores take 60; checks and webhooks the rest. */
const otherDescriptorsMax = 2_000;
/** Share of the memory that connections may take. */
const memoryShare = 0.25;
/** A connection with a request of the longest headers; an idle one takes 10 KB. */
const bytesPerConnection = 64 * 1024;

/** Returns how many connections of clients a process may have open, so that it runs out of nothing: 20,000 at most. */
export function connectionsMaxOf({ descriptors, memoryBytes, processes }: Room): number {
  const byDescriptors = descriptors - Math.min(descriptors / 4, otherDescriptorsMax);
  const byMemory = (memoryBytes * memoryShare) / bytesPerConnection / processes;
  return Math.floor(Math.min(connectionsMaxUsual, byDescriptors, byMemory));
}

/** Returns the bound for this process, one of `processes` that share the port. */
export function readConnectionsMax(processes: number): number {
  // Without a limit, Node reports 0 or a number that is larger than the memory.
  const limited = process.constrainedMemory();
  const memoryBytes = limited > 0 ? Math.min(limited, totalmem()) : totalmem();
  return connectionsMaxOf({ descriptors: readDescriptors(), memoryBytes, processes });
}

/** Returns the limit of descriptors that applies now, after Node raised it. Without /proc, as on macOS, none is assumed. */
function readDescriptors(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

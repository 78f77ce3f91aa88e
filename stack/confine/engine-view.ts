import type { ThreadView } from './landlock.js';

/**
 * The files of the machine that the engine reads: memory, processors, limits of the container, its own threads. Without `statm` it
 * does not start, and without the rest it guesses. The environment of its process is among the files of its threads.
 */
const machine = [
  '/dev/urandom',
  '/proc/loadavg',
  '/proc/meminfo',
  '/proc/self/stat',
  '/proc/self/statm',
  '/proc/self/status',
  '/proc/self/task',
  '/proc/stat',
  '/proc/sys/vm',
  '/proc/uptime',
  '/sys/devices/system/cpu',
  '/sys/fs/cgroup',
  '/sys/kernel/mm/transparent_hugepage',
];

/** How the name of the machine becomes its address. Without these, the engine asks a name server that may not exist. */
const names = ['/etc/gai.conf', '/etc/host.conf', '/etc/hosts', '/etc/nsswitch.conf', '/etc/resolv.conf'];

export type EngineFiles = {
  dataDir: string;
  /** Files outside that folder that the engine reads. */
  configFiles: readonly string[];
};

/** Returns the view of an engine that serves `listenPorts` and knows other servers of its cluster by `connectPorts`. */
export function engineView(
  { dataDir, configFiles }: EngineFiles,
  ports: Pick<ThreadView, 'listenPorts' | 'connectPorts'>,
): ThreadView {
  return { writable: [dataDir], readable: [...configFiles, ...machine, ...names], ...ports };
}

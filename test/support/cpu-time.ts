/** The least of several runs: any one of them may include a collection of garbage of what ran before. */
export function leastCpuMsOf(work: () => void): number {
  return Math.min(...Array.from({ length: 5 }, () => cpuMsOf(work)));
}

/** Milliseconds of processor time that some work takes. Unlike elapsed time, a busy machine hardly increases it. */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

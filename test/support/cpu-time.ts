/** Milliseconds of processor time that some work takes. Unlike elapsed time, a busy machine hardly increases it. */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

import { readFile } from 'node:fs/promises';

/** Clock ticks a second in /proc, which Linux fixes for programs whatever the kernel's own rate is. */
const ticksPerSecond = 100;

/** Processor time that all threads of a process have taken so far, ended ones included. Needs Linux: /proc. */
export async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The second field is the command in parentheses, which may contain spaces. User and system time are 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

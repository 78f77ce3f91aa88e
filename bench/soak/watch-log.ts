const levels = { error: 50, fatal: 60 };
const warned = 40;

/** Reads the output of the service, and keeps unexpected lines. */
export function createLogWatch() {
  const killed = new Set<number>();
  const counts = new Map<string, number>();
  const findings: string[] = [];

  function readEntry({ level, msg, pid, err }: Record<string, unknown>, line: string): void {
    const isOwnEnd = typeof pid === 'number' && /ended by itself|service process ended/.test(String(msg));
    if (isOwnEnd && !killed.has(pid))
      findings.push(`log: a process ended that the soak did not kill: ${line}`);
    if (typeof level !== 'number' || level < warned) return;
    if (level >= levels.fatal || /unhandled|uncaught/i.test(line))
      findings.push(`log: ${line.slice(0, 1_000)}`);
    const cause =
      typeof err === 'object' && err !== null && 'message' in err ? ` (${String(err.message)})` : '';
    const text = `${level >= levels.error ? 'error' : 'warning'}: ${String(msg)}${cause.slice(0, 100)}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }

  return {
    findings,
    /** Number of occurrences of each message that is a warning or worse. */
    counts,
    /** Marks processes whose end is expected from now on, because the soak kills them. */
    noteKilled(...pids: number[]): void {
      for (const pid of pids) killed.add(pid);
    },
    onLine(line: string, from: 'stdout' | 'stderr'): void {
      const entry = parse(line);
      if (entry !== undefined) readEntry(entry, line);
      // The log is on standard output; on standard error Node.js writes fatal errors and warnings.
      else if (from === 'stderr' && line !== '') findings.push(`standard error: ${line.slice(0, 1_000)}`);
    },
  };
}

export type LogWatch = ReturnType<typeof createLogWatch>;

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

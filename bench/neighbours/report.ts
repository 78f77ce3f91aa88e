import { line } from '../support/report.js';
import { attacks } from './attacks/index.js';
import type { Measured } from './measure.js';
import type { Heard, Kind } from './quiet-process.js';

/** Allowed p99 during an attack: this many times the idle one, plus this many milliseconds. */
const timesIdle = 2;
const plusMs = 50;

export function printRow(measured: Measured): void {
  const { name, idle, attacked, counts, memory, diskMb, tablesMb, logBytes, queriesLeft, exit } = measured;
  line(`\n${attacks[name].title}`);
  if (exit !== undefined) line(`  THE SERVICE ENDED: ${exit}`);
  for (const kind of ['events', 'pages'] as const)
    line(`  ${kind.padEnd(8)}${latencies(kind, idle, attacked)}`);
  const { ready } = attacked;
  line(`  ready   p99 ${ms(at(ready.ms, 0.99))}, ${ready.ms.length} asked, failed ${failures(ready.failed)}`);
  const peaks = (['service', 'clickhouse', 'postgres'] as const).map((of) => {
    const cells = [memory.idle, memory.attacked, memory.after].map((peak) => peak[of].toFixed(0));
    return `${of} ${cells.join(' / ')}`;
  });
  line(`  memory  MB idle / peak / after: ${peaks.join('; ')}`);
  const posted = (counts['posted'] ?? 0) / 1e6;
  const grown = [
    ...Object.entries(diskMb.after).map(
      ([folder, size]) => `${folder} ${grew(size - (diskMb.before[folder] ?? 0))}`,
    ),
    `tables of PostgreSQL ${grew(tablesMb.after - tablesMb.before)}`,
    `${posted.toFixed(1)} MB posted by the attacker`,
  ];
  line(`  disk    ${grown.join('; ')}`);
  line(
    `  log     ${(logBytes / 1e3).toFixed(0)} kB; tenants' queries that still run: ${queriesLeft ?? 'unknown'}`,
  );
  const told = Object.entries(counts).map(([what, count]) => `${what}: ${count}`);
  line(`  attack  ${told.join(', ') || 'nothing'}`);
}

function latencies(kind: Kind, idle: Heard, attacked: Heard): string {
  const quiet = at(idle[kind].ms, 0.99);
  const now = at(attacked[kind].ms, 0.99);
  const limit = timesIdle * quiet + plusMs;
  const lost = Object.values(attacked[kind].failed).reduce((sum, count) => sum + count, 0);
  const verdict = now <= limit && lost === 0 ? 'within' : 'OVER';
  const p50 = `p50 ${ms(at(idle[kind].ms, 0.5))} -> ${ms(at(attacked[kind].ms, 0.5))}`;
  const p99 = `p99 ${ms(quiet)} -> ${ms(now)}, limit ${ms(limit)}`;
  return `${verdict.padEnd(7)} ${p50}; ${p99}; ${attacked[kind].ms.length} sent, failed ${failures(attacked[kind].failed)}`;
}

function failures(failed: Record<number, number>): string {
  const cells = Object.entries(failed).map(
    ([status, count]) => `${count} with ${status === '0' ? 'no answer' : status}`,
  );
  return cells.join(', ') || '0';
}

function at(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

/** Megabytes with a sign. */
function grew(megabytes: number): string {
  return `${megabytes < 0 ? '' : '+'}${megabytes.toFixed(1)} MB`;
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}

import { line } from '../support/report.js';
import { attacks } from './attacks/index.js';
import type { Measured } from './measure.js';
import type { HeardKind, Kind } from './quiet-process.js';

/** Allowed p99 during an attack: this many times the idle one, plus so many milliseconds. */
const timesIdle = 2;
const plusMs = { events: 50, pages: 50, webhooks: 500, messages: 500 } as const satisfies Partial<
  Record<Kind, number>
>;
const judged = ['events', 'pages', 'webhooks', 'messages'] as const;

/** @param before the same attack on the service of another checkout. */
export function printRow(measured: Measured, before?: Measured): void {
  const { name, idle, attacked, counts, memory, diskMb, tablesMb, logBytes, queriesLeft, exit } = measured;
  line(`\n${attacks[name].title}`);
  if (exit !== undefined) line(`  THE SERVICE ENDED: ${exit}`);
  if (before?.exit !== undefined) line(`  THE SERVICE BEFORE ENDED: ${before.exit}`);
  for (const kind of judged) {
    if (idle[kind].ms.length === 0) continue;
    line(`  ${kind.padEnd(9)}${latencies(idle[kind], attacked[kind], plusMs[kind])}`);
    if (before === undefined) continue;
    line(`  before   ${latencies(before.idle[kind], before.attacked[kind], plusMs[kind])}`);
  }
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

function latencies(idle: HeardKind, attacked: HeardKind, allowedMs: number): string {
  const quiet = at(idle.ms, 0.99);
  const now = at(attacked.ms, 0.99);
  const limit = timesIdle * quiet + allowedMs;
  const lost = Object.values(attacked.failed).reduce((sum, count) => sum + count, 0);
  const verdict = now <= limit && lost === 0 ? 'within' : 'OVER';
  const p50 = `p50 ${ms(at(idle.ms, 0.5))} -> ${ms(at(attacked.ms, 0.5))}`;
  const p99 = `p99 ${ms(quiet)} -> ${ms(now)}, limit ${ms(limit)}`;
  return `${verdict.padEnd(7)} ${p50}; ${p99}; ${attacked.ms.length} sent, failed ${failures(attacked.failed)}`;
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

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Timer = { at: number; cpu: NodeJS.CpuUsage };

export function startTimer(): Timer {
  return { at: performance.now(), cpu: process.cpuUsage() };
}

/**
 * Notes how long a test file took, and how much processor time this process spent meanwhile. Each line is one write, so
 * lines of several processes do not mix.
 */
export function noteDuration(file: string, { at, cpu }: Timer): void {
  const folder = process.env['HEARTLINE_TEST_CLAIMS'];
  if (folder === undefined) return;
  const { user, system } = process.cpuUsage(cpu);
  const values = [(performance.now() - at) / 1_000, (user + system) / 1e6].map((value) => value.toFixed(1));
  appendFileSync(join(folder, 'durations'), `${values.join('\t')}\t${file}\n`);
}

type Duration = { file: string; seconds: number; cpuSeconds: number };

/** Describes where the time of a run went: the sum of each folder, and the `count` slowest files. */
export function describeDurations(claims: string, count: number): string {
  const files = readDurations(join(claims, 'durations')).sort((a, b) => b.seconds - a.seconds);
  const folders = new Map<string, { seconds: number; cpuSeconds: number; files: number }>();
  for (const { file, seconds, cpuSeconds } of files) {
    const [name = ''] = file.split('/');
    const sum = folders.get(name) ?? { seconds: 0, cpuSeconds: 0, files: 0 };
    folders.set(name, {
      seconds: sum.seconds + seconds,
      cpuSeconds: sum.cpuSeconds + cpuSeconds,
      files: sum.files + 1,
    });
  }
  const sums = [...folders].sort(([, a], [, b]) => b.seconds - a.seconds);
  const row = (seconds: number, cpuSeconds: number, text: string): string =>
    `${seconds.toFixed(1).padStart(8)} ${cpuSeconds.toFixed(1).padStart(8)}  ${text}\n`;
  return [
    'Seconds, and seconds of the processor in the process of the test, by folder:\n',
    ...sums.map(([name, sum]) => row(sum.seconds, sum.cpuSeconds, `${name} (${sum.files} files)`)),
    `The ${count} slowest files:\n`,
    ...files.slice(0, count).map(({ file, seconds, cpuSeconds }) => row(seconds, cpuSeconds, file)),
  ].join('');
}

function readDurations(path: string): Duration[] {
  // A run that ends before its first file has none.
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => {
    const [seconds = '', cpuSeconds = '', file = ''] = line.split('\t');
    return { file, seconds: Number(seconds), cpuSeconds: Number(cpuSeconds) };
  });
}

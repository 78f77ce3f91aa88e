import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Notes how long a test file took. Each line is one write, so those of several processes do not mix. */
export function noteDuration(file: string, startedAt: number): void {
  const folder = process.env['HEARTLINE_TEST_CLAIMS'];
  if (folder === undefined) return;
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  appendFileSync(join(folder, 'durations'), `${seconds}\t${file}\n`);
}

/** Describes where the time of a run went: the sum of each folder, and the `count` slowest files. */
export function describeDurations(claims: string, count: number): string {
  const files = readDurations(join(claims, 'durations')).sort((a, b) => b.seconds - a.seconds);
  const folders = new Map<string, { seconds: number; files: number }>();
  for (const { file, seconds } of files) {
    const [name = ''] = file.split('/');
    const sum = folders.get(name) ?? { seconds: 0, files: 0 };
    folders.set(name, { seconds: sum.seconds + seconds, files: sum.files + 1 });
  }
  const sums = [...folders].sort(([, a], [, b]) => b.seconds - a.seconds);
  const row = (seconds: number, text: string): string => `${seconds.toFixed(1).padStart(8)}  ${text}\n`;
  return [
    'Seconds by folder:\n',
    ...sums.map(([name, sum]) => row(sum.seconds, `${name} (${sum.files} files)`)),
    `The ${count} slowest files:\n`,
    ...files.slice(0, count).map(({ file, seconds }) => row(seconds, file)),
  ].join('');
}

function readDurations(path: string): { file: string; seconds: number }[] {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    // No file has ended.
  }
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [seconds = '', file = ''] = line.split('\t');
    return { file, seconds: Number(seconds) };
  });
}

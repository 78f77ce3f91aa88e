import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { renderStatusView } from '../../web/views/status-view.js';
import { line } from '../support/report.js';
import { makeStatusView } from './status-view.js';

/** Measures the time to draw a status page and its size, compared with its data as JSON, the least it could cost. */
const rounds = 9;
const drawsPerRound = 40;
const assets = {
  styles: '/assets/page.0123456789.css',
  theme: '/assets/theme.0123456789.js',
  live: '/assets/live.0123456789.js',
  details: '/assets/details.0123456789.js',
  chart: '/assets/chart.0123456789.js',
};

const pages = ([services, days]: [number, number]): [string, () => string][] => {
  const view = makeStatusView(services, days);
  const size = `${services} services × ${days} days`;
  return [
    [`page, ${size}`, () => renderStatusView(view, assets)],
    [`JSON, ${size}`, () => JSON.stringify(view)],
  ];
};

line(`${' '.repeat(30)}    ms warm     of CPU     bytes      gzip    brotli`);
for (const [what, draw] of [pages([20, 90]), pages([3, 90]), pages([100, 90])].flat()) {
  const text = draw();
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
  const sizes = [Buffer.byteLength(text), gzipSync(text).length, brotliCompressSync(text, quality).length];
  const times = measure(draw).map((ms) => ms.toFixed(2).padStart(10));
  line(`${what.padEnd(30)} ${times.join(' ')} ${sizes.map((size) => String(size).padStart(9)).join(' ')}`);
}

/** Milliseconds of one draw, wall time and processor time: medians of rounds after a warm-up. */
function measure(draw: () => string): [ms: number, cpuMs: number] {
  for (let warm = 0; warm < 4 * drawsPerRound; warm += 1) draw();
  const times = Array.from({ length: rounds }, () => {
    const startedAt = performance.now();
    const cpuAt = process.cpuUsage();
    for (let at = 0; at < drawsPerRound; at += 1) draw();
    const { user, system } = process.cpuUsage(cpuAt);
    return { ms: performance.now() - startedAt, cpuMs: (user + system) / 1000 };
  });
  const median = (values: number[]) => (values.sort((a, b) => a - b)[rounds >> 1] ?? 0) / drawsPerRound;
  return [median(times.map(({ ms }) => ms)), median(times.map(({ cpuMs }) => cpuMs))];
}

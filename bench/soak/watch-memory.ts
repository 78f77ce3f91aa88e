import { median } from '../support/report.js';
import { residentMb } from '../support/service-process.js';
import type { Installation } from './installation.js';

/** Samples of one process, from first to last. */
export type Life = { pid: number; what: 'service' | 'process'; samples: { second: number; mb: number }[] };

const everyMs = 5_000;
/** The heap of a younger process is still growing to its working size. */
export const warmSeconds = 30;

/** Samples the memory of the service and its processes. */
export function watchMemory(installation: Installation) {
  const startedAt = performance.now();
  const lives = new Map<number, Life>();

  async function sample(what: Life['what'], pid: number): Promise<void> {
    const mb = await residentMb(pid);
    if (mb === undefined) return;
    const life = lives.get(pid) ?? { pid, what, samples: [] };
    lives.set(pid, life);
    life.samples.push({ second: (performance.now() - startedAt) / 1000, mb });
  }

  const timer = setInterval(async () => {
    await sample('service', installation.pid());
    for (const pid of await installation.children('process')) await sample('process', pid);
  }, everyMs);

  return {
    lives,
    /** Megabytes of the running processes, rounded. */
    latestMb: () => {
      const now = (performance.now() - startedAt) / 1000;
      const latest = [...lives.values()].map(({ samples }) => samples.at(-1));
      return latest.flatMap((sample) =>
        sample !== undefined && now - sample.second < (2 * everyMs) / 1000 ? [Math.round(sample.mb)] : [],
      );
    },
    end: () => clearInterval(timer),
  };
}

/** The samples of a life once its process is warm. */
export function warmSamples({ samples }: Life): Life['samples'] {
  const first = samples[0]?.second ?? 0;
  return samples.filter(({ second }) => second - first >= warmSeconds);
}

/** Growth in megabytes a minute, by least squares; `undefined` for fewer than four samples. */
export function slope(samples: Life['samples']): number | undefined {
  if (samples.length < 4) return undefined;
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [second, mb] = [mean(samples.map((s) => s.second)), mean(samples.map((s) => s.mb))];
  const covariance = mean(samples.map((s) => (s.second - second) * (s.mb - mb)));
  const variance = mean(samples.map((s) => (s.second - second) ** 2));
  return (60 * covariance) / variance;
}

/** Median memory of warm processes in the first and in the last third of the run, in megabytes. */
export function acrossLives(lives: Iterable<Life>): { first: number; last: number } {
  const samples = [...lives]
    .filter(({ what }) => what === 'process')
    .flatMap(warmSamples)
    .sort((a, b) => a.second - b.second);
  const end = samples.at(-1)?.second ?? 0;
  const start = samples[0]?.second ?? 0;
  const third = (end - start) / 3;
  return {
    first: median(samples.filter(({ second }) => second <= start + third).map(({ mb }) => mb)),
    last: median(samples.filter(({ second }) => second >= end - third).map(({ mb }) => mb)),
  };
}

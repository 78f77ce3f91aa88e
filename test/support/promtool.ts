import { spawnSync } from 'node:child_process';

const { error } = spawnSync('promtool', ['--version']);

/** Options of a test that needs the checker that comes with Prometheus. */
export const needsPromtool: { skip?: string } =
  error === undefined ? {} : { skip: 'promtool is not installed; it is part of Prometheus' };

/** Runs `promtool`. `said` holds both outputs. */
export function runPromtool(args: readonly string[], input = ''): { code: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, {
    input,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { code: status, said: `${stdout}${stderr}` };
}

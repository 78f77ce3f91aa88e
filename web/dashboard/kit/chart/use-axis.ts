import { useMemo } from 'preact/hooks';
import { absoluteRange } from '../../address/range.js';
import { useAddress } from '../../address/use-address.js';
import type { TimeAxis } from './model.js';
import type { TimeChartProps } from './props.js';

type AxisProps = Pick<TimeChartProps, 'times' | 'stepSeconds' | 'from' | 'to'>;

/** The time axis of a chart: from its first step until its last one is over, unless given otherwise. */
export function useAxis({ times, stepSeconds, from, to }: AxisProps): TimeAxis {
  return useMemo(() => {
    const stepMs = stepSeconds * 1_000;
    const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0];
    return { times, stepMs, from: from ?? first, to: to ?? last + stepMs };
  }, [times, stepSeconds, from, to]);
}

/** Goes to a range of the address, unless the caller does something else. */
export function useZoom(onZoom: TimeChartProps['onZoom']): (from: number, to: number) => void {
  const { choose } = useAddress();
  return onZoom ?? ((from, to) => choose(absoluteRange(from, Math.min(to, Math.max(from + 1, Date.now())))));
}

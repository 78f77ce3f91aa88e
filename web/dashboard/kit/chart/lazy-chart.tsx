import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Skeleton } from '../states.js';
import { chartHeight } from './props.js';

/** Height of the legend and its distance to the plot. */
const legendHeight = 36;

/** Loads the files that draw with the first chart, and draws its shape until then. */
export function lazyChart<Props extends { height?: number }>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | undefined;
  return function LazyChart(props: Props) {
    const [View, setView] = useState<FunctionComponent<Props> | undefined>(() => loaded);
    const [failure, setFailure] = useState<unknown>();
    useEffect(() => {
      if (View !== undefined) return;
      // The library is a file of its own, which is requested at the same time.
      Promise.all([load(), import('uplot')]).then(([view]) => {
        loaded = view;
        setView(() => view);
      }, setFailure);
    }, [View]);
    if (failure !== undefined) throw failure;
    return View === undefined ? <ChartSkeleton height={props.height} /> : <View {...props} />;
  };
}

/** The shape of a chart that loads. */
export function ChartSkeleton({ height = chartHeight }: { height?: number | undefined }) {
  return <Skeleton height={height + legendHeight} />;
}

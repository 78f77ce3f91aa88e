import { useMemo } from 'preact/hooks';
import type { AcquisitionsAnswer } from '../../../../contract/database-health.js';
import { type Format, useFormat } from '../../format.js';
import { ChartSkeleton, HeatMap } from '../../kit/chart/time-chart.js';
import { type ChartEvents, useEvents } from '../../kit/chart/use-events.js';
import { Panel } from '../../kit/panel.js';
import { ReadView } from '../../kit/states.js';
import { useTexts } from '../../texts.js';
import { NoPools } from './pool-charts.js';
import { type DatabasesTexts, databasesTexts } from './texts.js';
import type { DatabaseReads } from './use-databases.js';

/** Eleven buckets that each have room for their name. */
const heightPx = 272;

/** How long callers waited: percentiles hide whether a few waited long, or two kinds of callers wait differently. */
export function WaitsPanel({
  acquisitions: read,
  happenings,
}: Pick<DatabaseReads, 'acquisitions' | 'happenings'>) {
  const texts = useTexts(databasesTexts);
  const events = useEvents(happenings, read.data);
  return (
    <Panel title={texts.waits} note={texts.waitsNote}>
      <ReadView
        read={read}
        skeleton={<ChartSkeleton height={heightPx} />}
        isEmpty={({ points, keptFrom }) =>
          keptFrom === null && points.every(({ buckets }) => buckets === null)
        }
        empty={<NoPools />}
      >
        {(data) => <Waits answer={data} {...events} />}
      </ReadView>
    </Panel>
  );
}

function Waits({ answer, ...events }: { answer: AcquisitionsAnswer } & ChartEvents) {
  const { boundsMs, points, step } = answer;
  const texts = useTexts(databasesTexts);
  const format = useFormat();
  const rows = useMemo(() => rowsOf(boundsMs, texts, format), [boundsMs, texts, format]);
  const times = useMemo(() => points.map(({ at }) => Date.parse(at)), [points]);
  const values = useMemo(() => points.map(({ buckets }) => buckets), [points]);
  return (
    <HeatMap
      title={texts.waits}
      counted={texts.countedAcquisitions}
      stepSeconds={step}
      height={heightPx}
      notes={answer}
      {...{ times, values, rows, ...events }}
    />
  );
}

function rowsOf(boundsMs: readonly number[], texts: DatabasesTexts, { ms }: Format) {
  const beyond = ms(boundsMs.at(-1) ?? 0);
  return [
    ...boundsMs.map((bound, i) => {
      const below = boundsMs[i - 1];
      return {
        axis: texts.atMost({ time: ms(bound) }),
        label:
          below === undefined
            ? texts.bucketTo({ to: ms(bound) })
            : texts.bucketBetween({ from: ms(below), to: ms(bound) }),
      };
    }),
    { axis: texts.moreThan({ time: beyond }), label: texts.bucketBeyond({ from: beyond }) },
  ];
}

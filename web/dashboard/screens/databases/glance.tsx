import type { DatabaseHealthAnswer } from '../../../../contract/database-health.js';
import { useFormat } from '../../format.js';
import { Figure } from '../../kit/figure.js';
import { useTexts } from '../../texts.js';
import { fullnessOf } from './servers-panel.js';
import { sumOf } from './summary.js';
import { databasesTexts } from './texts.js';

/** The figures that say whether to read on. */
export function Glance({ sources, current: { pools }, series, keptFrom }: DatabaseHealthAnswer) {
  const texts = useTexts(databasesTexts);
  const format = useFormat();
  // The rest of a range is no figure of the whole.
  const points = keptFrom === null ? (series[0]?.points ?? []) : [];
  const fullest = sources
    .map((source) => ({ source, fullness: fullnessOf(source) ?? -1 }))
    .reduce<{ name: string; fullness: number } | undefined>(
      (best, { source, fullness }) =>
        fullness > (best?.fullness ?? -1) ? { name: source.sourceId, fullness } : best,
      undefined,
    );
  const write = (value: number | null) => (value === null ? undefined : format.count(value));
  const [open, busy] = [
    sumOf(pools.map(({ snapshot }) => snapshot.open)),
    sumOf(pools.map(({ snapshot }) => snapshot.busy)),
  ];
  const fresh = sources.filter((source) => source.fresh && source.outcome === 'connected').length;
  return (
    <dl class="figures" aria-label={texts.figures}>
      <Figure
        title={texts.serversFresh}
        value={
          sources.length === 0
            ? undefined
            : texts.freshOf({ fresh: format.count(fresh), all: format.count(sources.length) })
        }
      />
      <Figure title={texts.mostUsed} value={fullest && format.share(fullest.fullness)}>
        {fullest !== undefined && (
          <span class="note" dir="auto">
            {fullest.name}
          </span>
        )}
      </Figure>
      <Figure
        title={texts.busy}
        value={
          open === null || busy === null
            ? write(busy)
            : texts.freshOf({ fresh: format.count(busy), all: format.count(open) })
        }
      />
      <Figure title={texts.waiting} value={write(sumOf(pools.map(({ snapshot }) => snapshot.waiting)))} />
      <Figure
        title={texts.acquisitions}
        value={write(sumOf(points.map(({ acquisitions }) => acquisitions)))}
      />
      <Figure title={texts.failures} value={write(sumOf(points.map(({ failures }) => failures)))} />
    </dl>
  );
}

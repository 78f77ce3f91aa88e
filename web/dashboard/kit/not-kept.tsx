import { absoluteRange, endsOf, isLive, rangeUpToNow } from '../address/range.js';
import { useAddress } from '../address/use-address.js';
import { useFormat } from '../format.js';
import { useTexts } from '../texts.js';
import { kitTexts } from './texts.js';

/**
 * Says why there are no figures of the whole range, and offers the rest of it. `keptFrom` comes from an answer whose
 * figures are null.
 */
export function NotKept({ keptFrom }: { keptFrom: string }) {
  const texts = useTexts(kitTexts);
  const { moment } = useFormat();
  return (
    <p class="stale" role="status">
      <span>
        <strong>{texts.notKeptTitle}.</strong> {texts.notKeptWhy({ time: moment(Date.parse(keptFrom)) })}
      </span>
      <ShowKept keptFrom={keptFrom} />
    </p>
  );
}

/** A sentence for one panel: what others on the screen show may be kept for longer. */
export function NotKeptHere({ keptFrom }: { keptFrom: string }) {
  const texts = useTexts(kitTexts);
  const { moment } = useFormat();
  return (
    <p class="panel-none">
      {texts.notKeptWhy({ time: moment(Date.parse(keptFrom)) })} <ShowKept keptFrom={keptFrom} />
    </p>
  );
}

function ShowKept({ keptFrom }: { keptFrom: string }) {
  const texts = useTexts(kitTexts);
  const { moment } = useFormat();
  const { range, choose } = useAddress();
  const now = Date.now();
  const [from, to] = [Date.parse(keptFrom), endsOf(range, now)?.to ?? now];
  if (from >= to) return null;
  // Whole minutes up to now, which is where a range up to now begins that is kept.
  const kept = isLive(range) ? rangeUpToNow(Math.floor((now - from) / 60_000) * 60) : absoluteRange(from, to);
  return (
    <button type="button" class="link-button" onClick={() => choose(kept)}>
      {texts.showKept({ time: moment(from) })}
    </button>
  );
}

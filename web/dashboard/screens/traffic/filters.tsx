import { useAddress } from '../../address/use-address.js';
import { Icon } from '../../kit/icons.js';
import { useTexts } from '../../texts.js';
import type { Place } from './place.js';
import { trafficTexts } from './texts.js';

/** The filters that the title does not name; each leads to the same view without it. */
export function FilterChips({ place: { filters, hrefOf } }: { place: Place }) {
  const texts = useTexts(trafficTexts);
  const active = (['method', 'status'] as const).flatMap((name) => {
    const value = filters[name];
    return value === undefined ? [] : [{ name, value }];
  });
  if (active.length === 0) return null;
  return (
    <nav class="filter-chips" aria-label={texts.filters}>
      {active.map(({ name, value }) => (
        <a
          key={name}
          class="chip"
          href={hrefOf({ ...filters, [name]: undefined })}
          aria-label={texts.remove({ name: texts.names[name], value })}
        >
          {texts.names[name]} <strong>{value}</strong>
          <Icon name="close" />
        </a>
      ))}
    </nav>
  );
}

/** Whether the charts have the period before beside them; the address keeps it. */
export function CompareSwitch() {
  const texts = useTexts(trafficTexts);
  const { query, choose } = useAddress();
  const isOn = query['compare'] === 'previous';
  return (
    <button
      type="button"
      class="button small toggle"
      aria-pressed={isOn}
      title={texts.compareHelp}
      onClick={() => choose({ compare: isOn ? undefined : 'previous' })}
    >
      {texts.compare}
    </button>
  );
}

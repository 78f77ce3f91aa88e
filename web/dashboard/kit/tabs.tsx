import { useEffect, useRef } from 'preact/hooks';
import { useAddress } from '../address/use-address.js';

type TabsProps<Key extends string> = {
  /** Names the whole for screen readers. */
  label: string;
  /** The parameter of the address that names the part; the first part is the one without it. */
  parameter: string;
  tabs: readonly { key: Key; title: string; count?: string | undefined }[];
  current: Key;
};

/** The parts of a screen; each is an address. */
export function Tabs<Key extends string>({ label, parameter, tabs, current }: TabsProps<Key>) {
  const { path, to } = useAddress();
  const list = useRef<HTMLUListElement>(null);
  const isShown = useRef(false);
  useEffect(() => {
    showCurrent(list.current, isShown.current ? 'smooth' : 'instant');
    isShown.current = true;
  }, [current]);
  return (
    <nav class="tabs" aria-label={label}>
      <ul ref={list}>
        {tabs.map(({ key, title, count }, i) => (
          <li key={key}>
            <a
              href={to(path, { [parameter]: i === 0 ? undefined : key })}
              {...(key === current && { 'aria-current': 'page' as const })}
            >
              {title}
              {count !== undefined && <span class="tab-count">{count}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Scrolls a list that is wider than the screen to the middle of its current part; the page stays where it is. */
function showCurrent(list: HTMLUListElement | null, behavior: 'smooth' | 'instant'): void {
  const link = list?.querySelector('[aria-current]');
  if (!(list instanceof HTMLUListElement) || !link) return;
  const [outer, inner] = [list.getBoundingClientRect(), link.getBoundingClientRect()];
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  list.scrollBy({
    left: inner.left + inner.width / 2 - (outer.left + outer.width / 2),
    behavior: isCalm ? 'instant' : behavior,
  });
}

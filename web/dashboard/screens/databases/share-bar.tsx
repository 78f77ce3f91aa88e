import type { Tone } from '../../kit/badge.js';

type ShareBarProps = {
  /** 0 to 1; more is drawn as 1. */
  share: number;
  /** The words beside the bar. */
  children: string;
};

const [warnFrom, badFrom] = [0.75, 0.9];

/** The colour of a share of what there is: the last tenth is nearly none. */
function toneOfShare(share: number): Tone {
  if (share >= badFrom) return 'bad';
  return share >= warnFrom ? 'warn' : 'info';
}

/** How much is used of what there is. */
export function ShareBar({ share, children }: ShareBarProps) {
  return (
    <span class="share">
      <svg
        class={`share-bar ${toneOfShare(share)}`}
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <rect class="share-ground" width="100" height="8" />
        <rect class="share-part" width={100 * Math.min(1, share)} height="8" />
      </svg>
      {children}
    </span>
  );
}

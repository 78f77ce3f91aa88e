import { toneOfLeft } from './words.js';

/** A bar that empties from its end as a budget is spent. */
export function BudgetBar({ leftPercent }: { leftPercent: number | null }) {
  const left = Math.min(100, Math.max(0, leftPercent ?? 0));
  return (
    <svg
      class={`budget-bar ${toneOfLeft(leftPercent)}`}
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect class="budget-ground" width="100" height="8" />
      <rect class="budget-left" width={left} height="8" />
    </svg>
  );
}

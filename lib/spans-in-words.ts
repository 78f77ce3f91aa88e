const units: readonly (readonly [unit: 'day' | 'hour' | 'minute' | 'second', seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** Formats a length of time in its largest unit, of which there are at least two: `90 minutes`, `3 hours`. */
export function formatSpan(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1000));
  const [unit, seconds] = units.find(([, length]) => total >= 2 * length) ?? (['second', 1] as const);
  const { format } = new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' });
  return format(Math.floor(total / seconds));
}

/** Formats a time as people read it, in UTC to the minute. */
export function formatTime(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

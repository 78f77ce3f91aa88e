/** A span of time in milliseconds since the epoch, `from` inclusive and `to` exclusive; `to` may be Infinity. */
export type Span = { from: number; to: number };

/** Returns the same time as spans that neither overlap nor touch, ordered by start. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else if (from < to) merged.push({ from, to });
  }
  return merged;
}

/** Returns the time that is in exactly one of the two lists. */
export function differenceOf(one: readonly Span[], other: readonly Span[]): Span[] {
  // Membership in a merged list changes at each of its ends, so the difference changes at the ends of both lists.
  const ends = [...mergeSpans(one), ...mergeSpans(other)]
    .flatMap(({ from, to }) => [from, to])
    .sort((a, b) => (a === b ? 0 : a - b));
  const spans: Span[] = [];
  for (let i = 0; i + 1 < ends.length; i += 2) {
    spans.push({ from: ends[i] ?? 0, to: ends[i + 1] ?? 0 });
  }
  return mergeSpans(spans);
}

/** Returns the parts of a span outside the excluded spans. */
export function without(span: Span, excluded: readonly Span[]): Span[] {
  const inside = excluded.map(({ from, to }) => ({
    from: Math.max(from, span.from),
    to: Math.min(to, span.to),
  }));
  return differenceOf(
    [span],
    inside.filter(({ from, to }) => from < to),
  );
}

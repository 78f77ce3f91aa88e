/**
 * The most requests that a span stands for. Samplers that keep less than one in a million leave nothing to count, and a
 * wrong threshold of 14 digits would make 7e16 requests of a span.
 */
export const weightMax = 1_000_000;

/** The member of OpenTelemetry in a `tracestate`, and the threshold in it: up to 14 digits, without the zeros at its end. */
const member = /(?:^|,)[ \t]*ot=([^,]*)/;
const threshold = /(?:^|;)th:([0-9a-f]{1,14})(?:;|$)/;

/** Spans of a sampler have the same threshold, so the last one is the next one nearly always. */
let last = { hex: '', weight: 1 };

/**
 * Returns how many requests a span stands for by the threshold T of its sampler: 2^56 / (2^56 - T), up to a million
 * (https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/). Returns 1 for a span without a
 * threshold, because nothing says that it was sampled.
 */
export function adjustedCount(traceState: string | undefined): number {
  if (traceState === undefined || traceState === '') return 1;
  const hex = threshold.exec(member.exec(traceState)?.[1] ?? '')?.[1];
  if (hex === undefined) return 1;
  if (hex === last.hex) return last.weight;
  const scale = 16n ** BigInt(hex.length);
  const weight = Math.min(weightMax, Number(scale) / Number(scale - BigInt(`0x${hex}`)));
  last = { hex, weight };
  return weight;
}

/** The digits of an id of a span that decide how a fraction is rounded: 48 bits. */
const digits = 12;

/**
 * Rounds a count to a whole number that is right on average: up in as many of all spans as its fraction says. The id of
 * the span decides, which samplers do not look at, so a span that is sent again counts the same.
 */
export function roundById(count: number, spanId: string | undefined): number {
  const whole = Math.floor(count);
  const fraction = count - whole;
  if (fraction === 0) return whole;
  const share = Number.parseInt((spanId ?? '').slice(-digits), 16) / 16 ** digits;
  if (Number.isNaN(share)) return Math.round(count);
  return share < fraction ? whole + 1 : whole;
}

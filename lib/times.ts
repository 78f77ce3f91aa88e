/** Lengths of time in milliseconds. A day has 24 hours everywhere: times are in UTC, without leap seconds. */
export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

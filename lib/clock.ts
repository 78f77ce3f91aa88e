/** Time in milliseconds since the epoch. It is passed to everything that needs the time, so that tests set it. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };

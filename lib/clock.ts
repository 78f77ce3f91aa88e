/** Where a part of the service needs the time, it is handed one of these, so that tests decide what time it is. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };

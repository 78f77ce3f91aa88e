/** The part of pino's logger that the service uses. It is passed in, and never imported. */
export type Log = {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
};

export type SeldomLog = {
  /** Notes an event. `fields` and `text` of the newest one are logged. */
  note(fields: object, text: string): void;
};

const intervalMsUsual = 10_000;

/**
 * Logs events that may come thousands of times a second as one warning per interval, with the number of them as `times`:
 * the first at once, and those that follow within `intervalMs` together at its end.
 */
export function createSeldomLog(log: Log, intervalMs = intervalMsUsual): SeldomLog {
  let timer: NodeJS.Timeout | undefined;
  let last: { fields: object; text: string } | undefined;
  let times = 0;

  function startInterval(): void {
    timer = setTimeout(endInterval, intervalMs);
    timer.unref();
  }

  function endInterval(): void {
    timer = undefined;
    if (last === undefined) return;
    log.warn({ ...last.fields, times }, last.text);
    last = undefined;
    times = 0;
    startInterval();
  }

  return {
    note(fields, text) {
      if (timer === undefined) {
        log.warn({ ...fields, times: 1 }, text);
        startInterval();
        return;
      }
      last = { fields, text };
      times += 1;
    },
  };
}

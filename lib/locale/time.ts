const minuteMs = 60_000;

const units = ['day', 'hour', 'minute', 'second'] as const;

/**
 * Returns how durations in milliseconds are written in a language: in the largest two units and to the minute, such as
 * `2 hours 5 minutes`, and below a minute in seconds. The page, `status.txt` and the dashboard say them in the same words.
 */
export function durationFormat(locale: string): (ms: number) => string {
  const formats = units.map(
    (unit) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }),
  );
  const list = new Intl.ListFormat(locale, { type: 'unit', style: 'narrow' });
  return (ms) => {
    const seconds = Math.max(1, Math.round(ms / 1_000));
    const minutes = seconds < 60 ? 0 : Math.round(ms / minuteMs);
    const counts = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
    const parts = [...counts, minutes === 0 ? seconds : 0].flatMap((count, at) =>
      count === 0 ? [] : (formats[at]?.format(count) ?? []),
    );
    return list.format(parts.slice(0, 2));
  };
}

/**
 * The name of a time zone as it is given, with corrected case: "Europe/Kyiv" stays, although Node.js may know it as
 * "Europe/Kiev". The case of such another name stays too. `undefined` for a zone that this server does
 * not know, and for an offset: clocks that change need a place.
 */
export function findTimeZone(name: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    if (/^[+-]/.test(timeZone)) return undefined;
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

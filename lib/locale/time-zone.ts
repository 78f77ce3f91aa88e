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

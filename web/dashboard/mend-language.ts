/**
 * Chromium names a system without a language `en-US@posix`, which is no language tag. uPlot formats numbers by
 * `navigator.language` as soon as it is loaded, and without this every screen with a chart would end with a RangeError.
 */
export function mendLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en-US' });
  }
}

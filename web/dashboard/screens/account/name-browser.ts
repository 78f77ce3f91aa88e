import type { AccountTexts } from './texts.js';

/** The first that fits counts: most browsers name others that they are like. */
const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/\bcurl\//, 'curl'],
] as const;

const systems = [
  [/\bAndroid\b/, 'Android'],
  [/\biPad\b/, 'iPad'],
  [/\biPhone\b/, 'iPhone'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** Names the browser and the system of a user agent, such as `Firefox on Linux`. */
export function nameBrowser(
  userAgent: string,
  { browserOn, unknownBrowser }: Pick<AccountTexts, 'browserOn' | 'unknownBrowser'>,
): string {
  const browser = browsers.find(([form]) => form.test(userAgent))?.[1];
  const system = systems.find(([form]) => form.test(userAgent))?.[1];
  if (browser === undefined) return system ?? unknownBrowser;
  return system === undefined ? browser : browserOn({ browser, system });
}

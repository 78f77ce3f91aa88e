import { useEffect, useState } from 'preact/hooks';
import { type ChartColour, chartColours } from './model.js';

/** Colours as a canvas takes them; it knows no custom properties. */
export type ThemeColours = Readonly<Record<ChartColour | 'ink' | 'soft' | 'edge' | 'card', string>>;

/** Returns the colours of the theme, and follows when it changes. */
export function useThemeColours(): ThemeColours {
  const [colours, setColours] = useState(readColours);
  useEffect(() => {
    const update = (): void => setColours(readColours());
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const observer = new MutationObserver(update);
    scheme.addEventListener('change', update);
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      scheme.removeEventListener('change', update);
      observer.disconnect();
    };
  }, []);
  return colours;
}

function readColours(): ThemeColours {
  const styles = getComputedStyle(document.documentElement);
  const read = (name: string) => styles.getPropertyValue(`--${name}`).trim();
  return Object.fromEntries([
    ...chartColours.map((name) => [name, read(/^\d$/.test(name) ? `chart-${name}` : name)]),
    ...['ink', 'soft', 'edge', 'card'].map((name) => [name, read(name)]),
  ]) as ThemeColours; // The list has every name of the type.
}

/** A colour over another, such as a tint that hides what is below it. Both are `#rrggbb` or `#rgb`; `part` is 0 to 1. */
export function mixColours(over: string, under: string, part: number): string {
  const [a, b] = [channelsOf(over), channelsOf(under)];
  const mixed = a.map((channel, i) => Math.round(channel * part + (b[i] ?? 0) * (1 - part)));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function channelsOf(colour: string): number[] {
  const digits = colour.slice(1);
  const size = digits.length < 6 ? 1 : 2;
  return [0, 1, 2].map((i) =>
    Number.parseInt(digits.slice(i * size, (i + 1) * size).padEnd(2, digits[i]), 16),
  );
}

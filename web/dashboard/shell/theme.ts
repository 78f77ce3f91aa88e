import { useEffect, useState } from 'preact/hooks';
import { keep, readKept } from '../kit/kept.js';

/** The choice that the public pages know as well; `theme.js` applies it before anything is drawn. */
const storageKey = 'heartline-theme';
/** Says to every place that shows the choice that it has changed. */
const changed = 'heartline-theme-changed';

export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** The theme of this browser, and what chooses another one. */
export function useTheme(): [theme: Theme, choose: (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(() => themeOf(readKept(storageKey)));
  useEffect(() => {
    const onChange = (): void => setTheme(themeOf(document.documentElement.dataset['theme']));
    document.addEventListener(changed, onChange);
    return () => document.removeEventListener(changed, onChange);
  }, []);
  return [theme, chooseTheme];
}

function themeOf(text: string | undefined): Theme {
  return themes.find((theme) => theme === text) ?? 'auto';
}

/** Draws in a theme from now on, in this tab and the next ones. */
export function chooseTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'auto') delete dataset['theme'];
  else dataset['theme'] = theme;
  keep(storageKey, theme === 'auto' ? undefined : theme);
  document.dispatchEvent(new Event(changed));
}

/**
 * Sets `html[data-theme]` to the theme that the visitor chose, before anything is drawn. A classic script, because
 * modules wait until the page is parsed: it would flash in the other theme.
 */
{
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem('theme');
  } catch {
    // Storage is forbidden or broken: the system's preference holds.
  }
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen;
}

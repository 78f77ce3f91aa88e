/**
 * Sets the theme that the visitor chose as `html[data-theme]`; without a choice the system's preference applies. This is a
 * classic script, which runs before the browser draws anything: a module waits until the document is parsed, and the
 * wrong theme would flash.
 */
{
  const storageKey = 'heartline-theme';
  const { documentElement } = document;

  const readChoice = (): string => {
    try {
      const choice = localStorage.getItem(storageKey);
      return choice === 'light' || choice === 'dark' ? choice : 'auto';
    } catch {
      return 'auto';
    }
  };

  const keepChoice = (choice: string): void => {
    try {
      if (choice === 'auto') localStorage.removeItem(storageKey);
      else localStorage.setItem(storageKey, choice);
    } catch {
      // Storage is forbidden or full: the choice applies to this view only.
    }
  };

  const apply = (choice: string): void => {
    if (choice === 'auto') delete documentElement.dataset['theme'];
    else documentElement.dataset['theme'] = choice;
    for (const button of document.querySelectorAll<HTMLElement>('[data-theme-switch]')) {
      button.hidden = false;
      button.dataset['themeState'] = choice;
      const text = button.dataset[choice] ?? '';
      button.title = text;
      button.setAttribute('aria-label', text);
    }
  };

  let choice = readChoice();
  apply(choice);
  document.addEventListener('DOMContentLoaded', () => apply(choice));
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element) || target.closest('[data-theme-switch]') === null) return;
    choice = choice === 'auto' ? 'light' : choice === 'light' ? 'dark' : 'auto';
    keepChoice(choice);
    apply(choice);
  });
  // Another tab changed the theme.
  addEventListener('storage', ({ key }) => {
    if (key !== storageKey) return;
    choice = readChoice();
    apply(choice);
  });
}

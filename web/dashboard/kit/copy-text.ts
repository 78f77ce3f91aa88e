/** Puts a text into the clipboard; resolves with whether that worked. Works without HTTPS as well. */
export async function copyText(text: string): Promise<boolean> {
  // Browsers have no clipboard API on plain http, and may refuse it.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard === undefined) return copyBySelection(text);
  return clipboard.writeText(text).then(
    () => true,
    () => copyBySelection(text),
  );
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  // Nothing outside of a modal dialog takes the focus.
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return isCopied;
}

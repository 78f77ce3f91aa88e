import type { Page } from 'playwright-core';

/** More controls than a screen has. */
const stepsMax = 150;

/** Presses Tab until a control has the focus whose name fits, as somebody without a pointer does. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let step = 0; step < stepsMax; step += 1) {
    await page.keyboard.press('Tab');
    if (name.test(await page.evaluate<string>(nameOfFocused))) return;
  }
  throw new Error(`Tab never came to a control that is called ${name}.`);
}

/** The name of a control: its label, or else its text. */
const nameOfFocused = `(() => {
  const control = document.activeElement;
  const text = control?.getAttribute('aria-label') ?? control?.labels?.[0]?.textContent ?? control?.textContent;
  return text ?? '';
})()`;

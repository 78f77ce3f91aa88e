import { render } from 'preact';
import { App } from './app.js';
import { readStart, type SharedStart } from './session.js';

const root = document.getElementById('dashboard');
if (root === null) throw new Error('The document has no element "dashboard".');
const start = readStart(document);
// The document may be in a language that only the public pages have.
document.documentElement.lang = start.language;
mendLanguage();
if ('sharedBoard' in start) showSharedBoard(start, root);
else render(<App start={start} />, root);

/** A board that anybody with a link reads has neither a session nor the frame of the dashboard. */
function showSharedBoard({ language, sharedBoard }: SharedStart, into: HTMLElement): void {
  void import('./screens/boards/shared/shared-board.js').then(({ default: SharedBoard }) =>
    render(<SharedBoard language={language} token={sharedBoard.token} />, into),
  );
}

/**
 * Chromium names a system without a language `en-US@posix`, which is no language tag. uPlot formats numbers by
 * `navigator.language` as soon as it is loaded, and without this every screen with a chart would end with a RangeError.
 */
function mendLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en-US' });
  }
}

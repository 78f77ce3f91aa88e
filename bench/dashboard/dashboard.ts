import { launchChromium } from '../support/chromium.js';
import { startHeartline, stopHeartline } from '../support/heartline.js';
import { line } from '../support/report.js';
import { withStores } from '../support/stores.js';
import { fill, sizes } from './fill.js';
import { measureInteractions } from './interactions.js';
import { measurePolling } from './polling.js';
import { measureScreens } from './screens.js';
import { signIn } from './visitor.js';

/** `--only screens,interactions,polling` measures some of these parts alone; `--seconds 20` watches each polling for so long. */
function parseOptions(argv: readonly string[]) {
  const optionOf = (name: string) => (argv.includes(name) ? argv[argv.indexOf(name) + 1] : undefined);
  const only = optionOf('--only')?.split(',');
  return {
    has: (part: string) => only === undefined || only.includes(part),
    seconds: Number(optionOf('--seconds') ?? 60),
  };
}

const { has, seconds } = parseOptions(process.argv.slice(2));

await withStores(async (stores) => {
  const heartline = await startHeartline(stores);
  const slug = await fill(stores, heartline);
  line(
    `${sizes.endpoints} endpoints over two weeks, ${sizes.reporters} reporters, ${sizes.monitors} monitors`,
  );
  const browser = await launchChromium();
  try {
    const url = `http://127.0.0.1:${heartline.port}`;
    const state = await signIn(browser, url);
    if (has('screens')) await measureScreens(browser, { url, slug, state });
    if (has('interactions')) await measureInteractions(browser, { url, slug, state });
    if (has('polling')) await measurePolling({ browser, heartline, url, slug, state, seconds });
  } finally {
    await browser.close();
    await stopHeartline(heartline);
  }
});

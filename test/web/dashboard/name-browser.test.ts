import t from 'tap';
import { nameBrowser } from '../../../web/dashboard/screens/account/name-browser.js';
import { accountTexts } from '../../../web/dashboard/screens/account/texts.js';

const cases = {
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36':
    'Chrome on Linux',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0':
    'Edge on Windows',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15':
    'Safari on macOS',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/143.0 Mobile/15E148 Safari/604.1':
    'Chrome on iPhone',
  'Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0': 'Firefox on Android',
  'curl/8.5.0': 'curl',
  '': 'Unknown browser',
};

t.test('browsers by their user agents', async (t) => {
  for (const [userAgent, name] of Object.entries(cases))
    t.equal(nameBrowser(userAgent, accountTexts.en), name);
});

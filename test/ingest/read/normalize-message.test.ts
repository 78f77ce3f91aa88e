import t from 'tap';
import { normalizeMessage } from '../../../lib/event-fields.js';
import { cpuMsOf } from '../../support/cpu-time.js';

t.test('loses its control characters and nothing else', async (t) => {
  t.equal(normalizeMessage('time\u0000out\r\n at\u0085 <db>'), 'timeout at <db>');
  t.equal(normalizeMessage('tabs\tgo, é and 😀 stay'), 'tabsgo, é and 😀 stay');
  t.equal(normalizeMessage('half \ud83d'), 'half \ufffd');
});

t.test('is cut at 200 characters, never inside one', async (t) => {
  t.equal(normalizeMessage('x'.repeat(200)), 'x'.repeat(200));
  t.equal(normalizeMessage('x'.repeat(201)), 'x'.repeat(200));
  t.equal(normalizeMessage(`${'😀'.repeat(200)}x`), '😀'.repeat(200));
  t.equal(normalizeMessage(`${'x'.repeat(199)}😀x`), `${'x'.repeat(199)}😀`);
});

t.test('is undefined when nothing is left of it', async (t) => {
  for (const raw of ['', '\u0000\n', undefined, null, 7, false, {}, []])
    t.equal(normalizeMessage(raw), undefined);
});

t.test('a message of megabytes costs no more than its beginning', async (t) => {
  const huge = '\u0001x'.repeat(1_000_000);
  const took = cpuMsOf(() => {
    for (let i = 0; i < 1_000; i += 1) normalizeMessage(huge);
  });
  t.ok(took < 2_000, `${took} ms`);
  t.equal(normalizeMessage(huge), 'x'.repeat(200));
});

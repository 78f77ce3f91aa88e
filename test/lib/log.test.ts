import t from 'tap';
import { createSeldomLog } from '../../lib/log.js';
import { stopTime } from '../support/fake-time.js';
import { silentLog } from '../support/silent-log.js';

t.test('the first event is logged at once, those after it once per interval', async (t) => {
  const advance = stopTime(t);
  const lines: object[] = [];
  const log = { ...silentLog, warn: (fields: object, text: string) => lines.push({ ...fields, text }) };
  const seldom = createSeldomLog(log, 10_000);
  for (let i = 0; i < 1_000; i += 1) seldom.note({ i }, 'Refused.');
  t.strictSame(lines, [{ i: 0, times: 1, text: 'Refused.' }]);
  await advance(10_000);
  t.strictSame(lines[1], { i: 999, times: 999, text: 'Refused.' });
  seldom.note({ i: 1_000 }, 'Refused.');
  t.equal(lines.length, 2);
  await advance(10_000);
  t.strictSame(lines[2], { i: 1_000, times: 1, text: 'Refused.' });
  await advance(20_000);
  t.equal(lines.length, 3, 'nothing is logged of nothing');
  seldom.note({ i: 1_001 }, 'Refused.');
  t.equal(lines.length, 4, 'at once again');
});

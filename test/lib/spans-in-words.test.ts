import t from 'tap';
import { formatSpan } from '../../lib/spans-in-words.js';
import { hourMs, minuteMs } from '../../lib/times.js';

t.test('lengths of time are in their largest unit', async (t) => {
  const spans: [number, string][] = [
    [0, '0 seconds'],
    [1_000, '1 second'],
    [119_000, '119 seconds'],
    [120_000, '2 minutes'],
    [90 * minuteMs, '90 minutes'],
    [3 * hourMs, '3 hours'],
    [49 * hourMs, '2 days'],
  ];
  for (const [ms, text] of spans) t.equal(formatSpan(ms), text);
});

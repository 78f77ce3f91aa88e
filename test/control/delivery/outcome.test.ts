import t from 'tap';
import { nextOf, type Outcome } from '../../../control/delivery/index.js';
import { hourMs, secondMs } from '../../../lib/times.js';

const now = 1_000_000;
const schedule = { pausesSeconds: [5, 60], jitter: 0 };
const failed: Outcome = { error: 'status: 500.', mayRepeat: true };
const parked = { state: 'parked', reason: 'status: 500.' };
const dueIn = (ms: number) => ({ state: 'pending', at: now + ms, reason: 'status: 500.' });

t.test('what follows from an attempt', async (t) => {
  const expiresAt = (ms: number) => new Date(now + ms);
  const cases: [what: string, tried: Parameters<typeof nextOf>[1], outcome: Outcome, next: object][] = [
    ['it was taken', { attempts: 1 }, { ...failed, error: null }, { state: 'delivered', reason: null }],
    ['the first failure', { attempts: 1 }, failed, dueIn(5 * secondMs)],
    ['the second', { attempts: 2 }, failed, dueIn(60 * secondMs)],
    ['the last', { attempts: 3 }, failed, parked],
    ['one that cannot succeed later', { attempts: 1 }, { ...failed, mayRepeat: false }, parked],
    ['the first after it was sent again', { attempts: 4, attemptsBefore: 3 }, failed, dueIn(5 * secondMs)],
    ['the last after that', { attempts: 6, attemptsBefore: 3 }, failed, parked],
    ['the receiver asks for more time', { attempts: 1 }, { ...failed, askedAt: now + 60_000 }, dueIn(60_000)],
    ['for less', { attempts: 1 }, { ...failed, askedAt: now + 1 }, dueIn(5 * secondMs)],
    [
      'for more than an hour',
      { attempts: 1 },
      { ...failed, askedAt: now + 9 * hourMs },
      dueIn(hourMs + 5_000),
    ],
    ['for more, at the last', { attempts: 3 }, { ...failed, askedAt: now + 60_000 }, parked],
    ['it has moved', { attempts: 2 }, { ...failed, mayRepeat: false, hasMoved: true }, dueIn(0)],
    ['it moves on and on', { attempts: 3 }, { ...failed, hasMoved: true }, parked],
    [
      'it expires after the next attempt',
      { attempts: 1, expiresAt: expiresAt(5_001) },
      failed,
      dueIn(5 * secondMs),
    ],
    ['it expires before', { attempts: 1, expiresAt: expiresAt(5_000) }, failed, parked],
  ];
  const wrong = cases.filter(([, tried, outcome, next]) => {
    return JSON.stringify(nextOf({ schedule }, tried, outcome, now)) !== JSON.stringify(next);
  });
  t.strictSame(
    wrong.map(([what]) => what),
    [],
  );
});

t.test('a queue may say why in its own words', async (t) => {
  const reasonOf = (outcome: Outcome, { state, attempts }: { state: string; attempts: number }) =>
    `${state} after ${attempts}: ${outcome.error}`;
  t.match(nextOf({ schedule, reasonOf }, { attempts: 5, attemptsBefore: 3 }, failed, now), {
    reason: 'pending after 2: status: 500.',
  });
  t.match(nextOf({ schedule, reasonOf }, { attempts: 3 }, failed, now), {
    reason: 'parked after 3: status: 500.',
  });
});

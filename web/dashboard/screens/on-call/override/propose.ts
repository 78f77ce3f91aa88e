import { fromWallTime } from '../../../kit/form/zoned-time.js';
import { addDays, dayOf, type Stretch } from '../calendar/span.js';

type Proposal = Stretch & { name: 'chosen' | 'tonight' | 'tomorrow' | 'weekend' };

/**
 * Returns times that an override may be for: the one that was chosen, the coming night, the next day, and the weekend, by
 * the clock of a zone. Those that have begun begin now. Times in milliseconds since the epoch.
 */
export function proposeStretches(chosen: Stretch, zone: string, now: number): Proposal[] {
  const today = dayOf(now, zone);
  const at = (days: number, time: string): number => fromWallTime(`${addDays(today, days)}T${time}`, zone);
  // After midnight the night is the one that goes on.
  const night = now < at(0, '08:00') ? 0 : 1;
  const toSaturday = (6 - new Date(`${today}T00:00:00Z`).getUTCDay() + 7) % 7;
  const sunday = new Date(`${today}T00:00:00Z`).getUTCDay() === 0;
  const minute = now - (now % 60_000);
  const all: Proposal[] = [
    { name: 'chosen', ...chosen },
    { name: 'tonight', from: at(night - 1, '20:00'), to: at(night, '08:00') },
    { name: 'tomorrow', from: at(1, '08:00'), to: at(1, '20:00') },
    {
      name: 'weekend',
      from: at(sunday ? -1 : toSaturday, '00:00'),
      to: at(sunday ? 1 : toSaturday + 2, '00:00'),
    },
  ];
  return all.map(({ name, from, to }) => ({
    name,
    from: name === 'chosen' ? from : Math.max(from, minute),
    to,
  }));
}

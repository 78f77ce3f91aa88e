import { useAddress } from '../../address/use-address.js';
import { NewSchedule } from './editor/new-schedule.js';
import { OneSchedule } from './one-schedule.js';
import { ScheduleCards } from './schedule-cards.js';

/** Who is on call by each schedule of a page, or one schedule with its calendar; the address says which. */
export default function OnCall() {
  const { query } = useAddress();
  const { schedule } = query;
  if (schedule !== undefined) return <OneSchedule key={schedule} slug={schedule} />;
  return query['new'] === 'schedule' ? <NewSchedule /> : <ScheduleCards />;
}

export { changeSchedule, deleteSchedule, putSchedule } from './change-schedule.js';
export { type CalendarShift, findCalendar, removeFeed, rotateFeed, type ScheduleCalendar } from './feed.js';
export { findPeople } from './find-people.js';
export { findSchedule, listSchedules, loadSchedule, type Schedule } from './find-schedules.js';
export { loadOnCall } from './load-on-call.js';
export { addOverride, deleteOverride } from './overrides.js';
export type { Plan } from './plan.js';
export { toManagedSchedule, toOnCall, toOverride, toShifts } from './present-schedule.js';
export { onCallAt, shiftsOf } from './shifts.js';

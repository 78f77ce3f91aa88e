import {
  type PutReportSettings,
  type ReportSchedule,
  type ReportSettings,
  reportSchedules,
} from '../../../../contract/manage/report-settings.js';

export const scheduleChoices = ['off', ...reportSchedules] as const;

/** The fields of the form; emails are in order. */
export type ReportValues = { every: 'off' | ReportSchedule; recipients: string[]; toSubscribers: boolean };

export function valuesOf({ every, recipients, toSubscribers }: ReportSettings): ReportValues {
  return { every: every ?? 'off', recipients: [...recipients].sort(), toSubscribers };
}

/** Returns the whole settings: the service turns off what is left out. */
export function bodyOf({ every, recipients, toSubscribers }: ReportValues): PutReportSettings {
  return {
    every: every === 'off' ? null : every,
    recipients: recipients.map((email) => email.trim()).filter((email) => email !== ''),
    toSubscribers,
  };
}

/** Whether a report would go to nobody. */
export function isForNobody(values: ReportValues): boolean {
  const { every, recipients, toSubscribers } = bodyOf(values);
  return every !== null && recipients?.length === 0 && toSubscribers !== true;
}

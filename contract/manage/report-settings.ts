import Type, { type Static } from 'typebox';
import { closed, nullable } from './shared.js';

export const reportSettingsLimits = { recipients: 50, emailChars: 254 } as const;

/** How often reports are sent: on Monday for the week before, or on the 1st for the month before. */
export const reportSchedules = ['weekly', 'monthly'] as const;
export type ReportSchedule = (typeof reportSchedules)[number];

const every = nullable(
  Type.Enum([...reportSchedules], {
    description:
      'Sent at 8:00 by the clock of the page: on Monday for the week before, or on the 1st for the month before. null sends none.',
  }),
);
const recipients = Type.Array(Type.String({ minLength: 1, maxLength: reportSettingsLimits.emailChars }), {
  maxItems: reportSettingsLimits.recipients,
  description: 'Emails of people with a role on the page, who get the whole report.',
});
const toSubscribers = Type.Boolean({
  description:
    'Whether subscribers by email get it as well, with what the status page shows: public services, public objectives and incidents.',
});

/** Who gets reports by email, and how often. */
export const ReportSettings = closed({ every, recipients, toSubscribers });
export type ReportSettings = Static<typeof ReportSettings>;

export const PutReportSettings = closed({
  every,
  recipients: Type.Optional(recipients),
  toSubscribers: Type.Optional(toSubscribers),
});
export type PutReportSettings = Static<typeof PutReportSettings>;

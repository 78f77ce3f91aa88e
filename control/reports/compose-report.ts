import type { Report } from '../../contract/manage/reports.js';
import { writeReport } from '../../web/texts/report-tables.js';
import { textsOf } from '../../web/texts/texts-of.js';
import {
  brandOf,
  type ComposeDeps,
  type EmailReader,
  type OutgoingMessage,
  toMessage,
  unsubscribeLink,
} from '../subscribers/index.js';

/** A report that goes to one recipient. */
export type ReportEmail = EmailReader & { content: Report };

type Deps = ComposeDeps & {
  /** Returns where people who run the page read the report. */
  reportUrlOf: (report: Report) => string;
};

/** Composes the email with a report, in the language of its recipient. Subscribers can end their subscription with it. */
export function composeReport({ reportUrlOf, ...deps }: Deps, email: ReportEmail): OutgoingMessage {
  const { content } = email;
  const { label, title, notes, tables } = writeReport(content, email.language);
  const phrases = textsOf('report', email.language);
  const brand = brandOf(deps, email);
  const page = brand.name;
  const layout = {
    ...{ brand, language: phrases.language, label, title, facts: [] },
    subject: `[${page}] ${label}: ${title}`,
    text: { plain: notes.join(' ') },
    tables: tables.map((table) => ({
      ...table,
      rows: table.rows.length === 0 ? [[table.empty]] : table.rows,
    })),
  };
  if (email.subscriberId === null) {
    const button = { text: phrases.open, url: reportUrlOf(content) };
    return toMessage(deps, email, { ...layout, button, note: phrases.whyPerson({ page }) }, {});
  }
  const { open, unsubscribe } = textsOf('incident-mail', email.language);
  const url = unsubscribeLink(deps, email);
  return toMessage(
    deps,
    email,
    {
      ...{ ...layout, button: { text: open, url: brand.url } },
      ...{ note: phrases.whySubscriber({ page }), unsubscribe: { text: unsubscribe, url } },
    },
    {
      'List-Id': `<reports.${email.hostname}>`,
      'List-Unsubscribe': `<${url}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click', // RFC 8058
    },
  );
}

import type { Report, ReportEvery } from '../../contract/manage/reports.js';
import { type ReportTable, writeReport } from '../texts/report-tables.js';
import { textsOf } from '../texts/texts-of.js';
import { type AccountView, addressIn, renderAccountDocument } from './account-document.js';
import { reportPath, screenPath } from './manage-paths.js';

/** A report as a page to read and to print, as HTML. */
export function renderReport(view: AccountView, report: Report): string {
  const { page, every, from } = report;
  const { label, title, notes, tables } = writeReport(report, view.language);
  return renderAccountDocument({
    ...{ view, title: `${page.name}: ${title}`, path: reportPath(page.slug, every), query: { at: from } },
    wide: true,
    children: (
      <article class="form-card report" aria-labelledby="title">
        <p class="report-label">
          {label} · <span dir="auto">{page.name}</span>
        </p>
        <h1 id="title">{title}</h1>
        {notes.map((note) => (
          <p key={note} class="note">
            {note}
          </p>
        ))}
        <ReportLinks view={view} report={report} />
        {tables.map((table) => (
          <Section key={table.section} table={table} />
        ))}
      </article>
    ),
  });
}

function ReportLinks({ view, report }: { view: AccountView; report: Report }) {
  const texts = textsOf('report', view.language);
  const { page, every, from, to, previous, isOver } = report;
  const at = (of: ReportEvery, time: string) => addressIn(view, reportPath(page.slug, of), { at: time });
  const csv = new URLSearchParams({ at: from, format: 'csv' });
  const other = every === 'week' ? 'month' : 'week';
  return (
    <nav class="report-links" aria-label={texts.labels[every]}>
      <ul>
        <li>
          <a href={at(every, previous.from)}>{texts.earlier}</a>
        </li>
        {isOver && (
          <li>
            <a href={at(every, to)}>{texts.later}</a>
          </li>
        )}
        <li>
          <a href={at(other, from)}>{texts.labels[other]}</a>
        </li>
        <li>
          <a href={`/api/v1/pages/${encodeURIComponent(page.slug)}/reports/${every}?${csv}`}>{texts.csv}</a>
        </li>
        <li>
          <a href={screenPath(page.slug, 'reports')}>{texts.dashboard}</a>
        </li>
      </ul>
    </nav>
  );
}

function Section({ table: { section, title, head, rows, empty } }: { table: ReportTable }) {
  const id = `report-${section}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {rows.length === 0 ? (
        <p class="note">{empty}</p>
      ) : (
        <section
          class="report-table"
          aria-labelledby={id}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, and what scrolls is reached by keyboard.
          tabIndex={0}
        >
          <table>
            <thead>
              <tr>
                {head.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(([name, ...values], i) => (
                <tr key={i}>
                  <th scope="row" dir="auto">
                    {name}
                  </th>
                  {values.map((value, column) => (
                    <td key={head[column + 1]} dir="auto">
                      {value}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}

import { presentMinutes } from '../../../../contract/manage/objective-report.js';
import { Badge } from '../../kit/badge.js';
import type { Column } from '../../kit/table/column.js';
import { BudgetBar } from './budget-bar.js';
import type { ObjectiveRow } from './use-reports.js';
import {
  rateOver,
  sayAmount,
  sayCompliance,
  sayEnd,
  sayLeft,
  sayRate,
  saySli,
  sayTarget,
  toneOfLeft,
  type Words,
} from './words.js';

/** The columns of the list. `hrefOf` is where an objective is shown. */
export function columnsOf(words: Words, hrefOf: (slug: string) => string): Column<ObjectiveRow>[] {
  const { texts } = words;
  return [
    {
      key: 'name',
      title: texts.name,
      class: 'objective-cell',
      value: ({ name }) => name,
      text: (row) => `${row.name} ${saySli(row, words)}`,
      cell: (row) => (
        <a class="row-link two-lines" href={hrefOf(row.slug)}>
          <span dir="auto">{row.name}</span>
          <span class="note" dir="auto">
            {saySli(row, words)} · {sayTarget(row, words)}
          </span>
        </a>
      ),
    },
    {
      key: 'compliance',
      title: texts.compliance,
      help: texts.complianceHelp,
      isFigure: true,
      value: ({ report }) => report?.compliance ?? null,
      cell: ({ report, target }) => report !== undefined && <Compliance {...{ report, target, words }} />,
    },
    {
      key: 'left',
      title: texts.left,
      help: texts.leftHelp,
      class: 'budget-cell',
      value: ({ report }) => report?.budget.leftPercent ?? null,
      text: ({ report }) => (report === undefined ? '' : sayLeft(report.budget.leftPercent, words)),
      cell: (row) => <Left row={row} words={words} />,
    },
    {
      key: 'amount',
      title: texts.spent,
      isFigure: true,
      isMinor: true,
      value: ({ report }) => report?.budget.spent ?? null,
      cell: ({ report }) => report !== undefined && sayAmount(report.unit, report.budget.spent, words),
    },
    {
      key: 'burn',
      title: texts.burn,
      help: texts.burnHelp,
      isFigure: true,
      class: 'burn-cell',
      value: ({ report }) => (report === undefined ? null : rateOver(report, presentMinutes)),
      cell: ({ report }) => {
        const rate = report === undefined ? null : rateOver(report, presentMinutes);
        return rate !== null && <span class={rate > 1 ? 'is-fast' : ''}>{sayRate(rate, words)}</span>;
      },
    },
    {
      key: 'ends',
      title: texts.ends,
      isMinor: true,
      value: ({ report }) => (report?.endsAt == null ? null : Date.parse(report.endsAt)),
      text: ({ report }) => (report === undefined ? '' : sayEnd(report, words)),
      cell: ({ report }) => report !== undefined && sayEnd(report, words),
    },
  ];
}

type ComplianceProps = { report: NonNullable<ObjectiveRow['report']>; target: number; words: Words };

function Compliance({ report: { compliance, isMet }, target, words }: ComplianceProps) {
  if (compliance === null) return <span class="note">–</span>;
  const said = sayCompliance(compliance, target, words.format);
  return isMet === false ? <Badge tone="bad">{said}</Badge> : <span>{said}</span>;
}

function Left({ row: { report, isFailed }, words }: { row: ObjectiveRow; words: Words }) {
  if (isFailed === true) return <span class="note">{words.texts.failed}</span>;
  if (report === undefined) return <span class="skeleton-line budget-loading" aria-hidden="true" />;
  const { leftPercent } = report.budget;
  return (
    <span class={`budget ${toneOfLeft(leftPercent)}`}>
      {leftPercent !== null && <BudgetBar leftPercent={leftPercent} />}
      <span>{sayLeft(leftPercent, words)}</span>
    </span>
  );
}

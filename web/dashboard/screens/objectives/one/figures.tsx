import type { ComponentChildren } from 'preact';
import { type ObjectiveReport, presentMinutes } from '../../../../../contract/manage/objective-report.js';
import { useFormat } from '../../../format.js';
import { Figure } from '../../../kit/figure.js';
import { useTexts } from '../../../texts.js';
import { BudgetBar } from '../budget-bar.js';
import { objectivesTexts } from '../texts.js';
import {
  rateOver,
  sayAmount,
  sayCompliance,
  sayEnd,
  sayPlain,
  sayRate,
  shareOf,
  toneOfLeft,
} from '../words.js';

/** Compliance, budget and burn rate, and when the budget ends. */
export function BudgetFigures({ report }: { report: ObjectiveReport }) {
  const texts = useTexts(objectivesTexts);
  const format = useFormat();
  const words = { texts, format };
  const { unit, target, compliance, isMet, budget, keptFrom } = report;
  const { leftPercent } = budget;
  const rate = rateOver(report, presentMinutes);
  const amount = (value: number) => sayAmount(unit, value, words);
  const plain = (value: number) => sayPlain(unit, value, words);
  return (
    <>
      {keptFrom !== null && (
        <p class="note">{texts.keptFrom({ time: format.moment(Date.parse(keptFrom)) })}</p>
      )}
      <dl class="figures objective-figures">
        <Figure
          title={texts.compliance}
          help={texts.complianceHelp}
          value={compliance === null ? undefined : sayCompliance(compliance, target, format)}
          valueClass={isMet === false ? 'is-bad' : ''}
        >
          <Below>
            {texts.targetOf({ target: format.percent(target) })}
            {isMet !== null && `, ${isMet ? texts.met : texts.notMet}`}
          </Below>
        </Figure>
        <Figure
          title={texts.budget}
          help={texts.leftHelp}
          value={leftPercent === null ? undefined : shareOf(leftPercent, format)}
          valueClass={`is-${toneOfLeft(leftPercent)}`}
        >
          <BudgetBar leftPercent={leftPercent} />
          <Below>
            {budget.left < 0
              ? texts.overBy({ amount: plain(-budget.left), total: amount(budget.total) })
              : texts.leftOf({ left: plain(budget.left), total: amount(budget.total) })}
          </Below>
        </Figure>
        <Figure title={texts.spent} value={amount(budget.spent)}>
          <Below>{texts.spentOf({ total: amount(budget.total) })}</Below>
        </Figure>
        {report.window.isCurrent && (
          <>
            <Figure
              title={texts.burnNow}
              help={texts.burnHelp}
              value={rate === null ? undefined : sayRate(rate, words)}
              valueClass={rate !== null && rate > 1 ? 'is-bad' : ''}
            >
              <Below>{texts.burnOf({ span: format.span(presentMinutes * 60) })}</Below>
            </Figure>
            <Ends report={report} />
          </>
        )}
      </dl>
    </>
  );
}

function Ends({ report }: { report: ObjectiveReport }) {
  const texts = useTexts(objectivesTexts);
  const format = useFormat();
  const { endsAt, budget } = report;
  const isLasting = endsAt === null || budget.leftPercent === null || budget.leftPercent <= 0;
  return (
    <Figure title={texts.ends} value={sayEnd(report, { texts, format })}>
      <Below>
        {isLasting
          ? budget.leftPercent !== null && budget.leftPercent > 0 && texts.lastsLong
          : format.ago(Date.now() - Date.parse(endsAt))}
      </Below>
    </Figure>
  );
}

function Below({ children }: { children: ComponentChildren }) {
  return <span class="note figure-below">{children}</span>;
}

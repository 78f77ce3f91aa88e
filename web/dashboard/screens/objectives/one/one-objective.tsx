import type { ObjectiveReport } from '../../../../../contract/manage/objective-report.js';
import type { ManagedObjective } from '../../../../../contract/manage/objectives.js';
import { useAddress } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { ErrorNotice, ReadView, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { Screen } from '../../../shell/screen.js';
import { useTexts } from '../../../texts.js';
import { objectivesTexts } from '../texts.js';
import { saySli, sayTarget } from '../words.js';
import { ObjectiveActions } from './actions.js';
import { BurnDown } from './burn-down.js';
import { BurnRates } from './burn-rates.js';
import { BudgetFigures } from './figures.js';
import { Incidents } from './incidents.js';
import { ObjectiveRules, useRulesOf } from './rules.js';
import { WorstEndpoints, WorstTimes } from './spenders.js';
import { WindowChoice } from './window-choice.js';

const pollMs = 60_000;

/** How one objective does in its window, or in an earlier one that the address names. */
export function OneObjective({ slug }: { slug: string }) {
  const page = usePage();
  const { path, query, to } = useAddress();
  const texts = useTexts(objectivesTexts);
  const at = query['at'];
  const own = `/objectives/${encodeURIComponent(slug)}`;
  const read = useRead<ManagedObjective>(pagePath(page.slug, own), { everyMs: pollMs });
  const report = useRead<ObjectiveReport>(pagePath(page.slug, `${own}/report`, { at }), {
    everyMs: at === undefined ? pollMs : undefined,
  });
  const rules = useRulesOf(slug);
  const objective = read.data;
  return (
    <Screen
      title={objective?.name ?? slug}
      crumbs={[{ title: texts.list, href: to(path) }]}
      actions={
        <>
          {report.data !== undefined && <WindowChoice report={report.data} />}
          {objective !== undefined && <ObjectiveActions objective={objective} rules={rules.length} />}
        </>
      }
    >
      {objective === undefined && read.error !== undefined ? (
        <ErrorNotice error={read.error} retry={read.retry} />
      ) : (
        <>
          {objective !== undefined && <Says objective={objective} />}
          <ReadView read={report} skeleton={<ReportSkeleton />}>
            {(found) => (
              <div class="objective-parts">
                <BudgetFigures report={found} />
                <BurnDown report={found} />
                <div class="split">
                  <BurnRates report={found} />
                  <ObjectiveRules objective={slug} rules={rules} />
                </div>
                <Spenders report={found} objective={objective} />
                {found.incidents.length > 0 && <Incidents report={found} />}
              </div>
            )}
          </ReadView>
        </>
      )}
    </Screen>
  );
}

type SpendersProps = { report: ObjectiveReport; objective: ManagedObjective | undefined };

/** A monitor has no endpoints. */
function Spenders({ report, objective }: SpendersProps) {
  const filters = objective !== undefined && 'requests' in objective.sli ? objective.sli.requests : undefined;
  if (report.unit === 'minutes') return <WorstTimes report={report} filters={undefined} />;
  return (
    <div class="split">
      <WorstTimes report={report} filters={filters} />
      <WorstEndpoints report={report} />
    </div>
  );
}

function Says({ objective }: { objective: ManagedObjective }) {
  const texts = useTexts(objectivesTexts);
  const format = useFormat();
  const words = { texts, format };
  return (
    <p class="objective-says">
      <strong>{sayTarget(objective, words)}</strong> <span dir="auto">{saySli(objective, words)}</span>
    </p>
  );
}

function ReportSkeleton() {
  return (
    <div class="objective-parts">
      <Skeleton height={104} />
      <Skeleton height={300} />
      <Skeleton lines={7} />
    </div>
  );
}

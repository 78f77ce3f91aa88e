import { type ObjectiveReport, presentMinutes } from '../../../../../contract/manage/objective-report.js';
import { useFormat } from '../../../format.js';
import { Panel } from '../../../kit/panel.js';
import { useTexts } from '../../../texts.js';
import { objectivesTexts } from '../texts.js';
import { sayAmount, sayRate } from '../words.js';

/** The bars reach to this rate at least, so that one of 1 does not look like a fire. */
const reachMin = 4;

/** How fast the budget burns, from the last five minutes to the last three days. */
export function BurnRates({ report }: { report: ObjectiveReport }) {
  const texts = useTexts(objectivesTexts);
  const format = useFormat();
  const words = { texts, format };
  const { burnRates, unit } = report;
  const reach = Math.max(reachMin, ...burnRates.map(({ rate }) => rate ?? 0));
  if (burnRates.length === 0) {
    return (
      <Panel title={texts.burnRates}>
        <p class="note">{texts.noBurn}</p>
      </Panel>
    );
  }
  return (
    <Panel title={texts.burnRates} note={texts.burnRatesWhy} flush>
      <table class="burn-rates">
        <thead>
          <tr>
            <th scope="col">{texts.span}</th>
            <th scope="col" colSpan={2}>
              {texts.rate}
            </th>
            <th scope="col" class="minor">
              {texts.bad}
            </th>
          </tr>
        </thead>
        <tbody>
          {burnRates.map(({ minutes, rate, good, total }) => (
            <tr key={minutes} class={minutes === presentMinutes ? 'is-present' : undefined}>
              <th scope="row">{format.span(minutes * 60)}</th>
              <td class="burn-bar-cell">
                <BurnBar rate={rate} reach={reach} />
              </td>
              <td class={rate !== null && rate > 1 ? 'is-fast' : ''}>
                {rate === null ? texts.notMeasured : sayRate(rate, words)}
              </td>
              <td class="minor">{sayAmount(unit, total - good, words)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

/** A rate as a bar, on roots: small rates stay visible beside large ones. The line stands at 1. */
function BurnBar({ rate, reach }: { rate: number | null; reach: number }) {
  const placeOf = (value: number) => 100 * Math.sqrt(value / reach);
  return (
    <svg
      class={(rate ?? 0) > 1 ? 'burn-bar is-fast' : 'burn-bar'}
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect class="budget-ground" width="100" height="8" />
      <rect class="burn-part" width={placeOf(rate ?? 0)} height="8" />
      <rect class="burn-one" x={placeOf(1)} width="0.6" height="8" />
    </svg>
  );
}

import type { ReporterHealth } from '../../../../contract/analytics/reporters.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { useTexts } from '../../texts.js';
import { headOf, keyOf } from './instances.js';
import { isThin, states, statesOf } from './states.js';
import { reportersTexts } from './texts.js';

/** The filters of the address. An empty value of a label finds reporters without that label. */
export type Chosen = { state: string | undefined; region: string | undefined; team: string | undefined };

/** Stands in the address for reporters without a region or team, which no label is, as labels are trimmed. */
const without = ' ';

export function useChosen(): Chosen {
  const { query } = useAddress();
  return { state: query['state'], region: query['region'], team: query['team'] };
}

/** Returns the reporters that match, and the services above them. */
export function choose(reporters: readonly ReporterHealth[], chosen: Chosen): ReporterHealth[] {
  const heads = new Set(reporters.filter((one) => matches(one, chosen)).map(headOf));
  return reporters.filter((one) => matches(one, chosen) || heads.has(keyOf(one)));
}

function matches(reporter: ReporterHealth, chosen: Chosen): boolean {
  return (
    hasState(reporter, chosen.state) &&
    (['region', 'team'] as const).every(
      (label) => chosen[label] === undefined || (reporter[label] ?? without) === chosen[label],
    )
  );
}

/** A service that reporters name fails or not; whether it calls is counted for each of them. */
function hasState(reporter: ReporterHealth, chosen: string | undefined): boolean {
  if (chosen === undefined) return true;
  if (chosen === 'thin') return isThin(reporter);
  if (reporter.instances !== undefined) return chosen === 'failing' && reporter.errors > 0;
  return statesOf(reporter).some((state) => state === chosen);
}

/** Chips of the states with their counts, and the regions and teams. */
export function Filters({ reporters }: { reporters: readonly ReporterHealth[] }) {
  const texts = useTexts(reportersTexts);
  const chosen = useChosen();
  const { choose: go } = useAddress();
  const format = useFormat();
  const others = reporters.filter((one) => matches(one, { ...chosen, state: undefined }));
  const chips = [undefined, ...states, 'thin' as const];
  return (
    <div class="reporter-filters">
      <fieldset class="segments">
        <legend class="visually-hidden">{texts.state}</legend>
        {chips.map((state) => (
          <label key={state ?? 'all'}>
            <input
              type="radio"
              name="state"
              checked={chosen.state === state}
              onChange={() => go({ state })}
            />
            <span {...(state !== undefined && { title: texts.meanings[state] })}>
              {state === undefined ? texts.all : texts.states[state]}{' '}
              <b>{format.count(others.filter((reporter) => hasState(reporter, state)).length)}</b>
            </span>
          </label>
        ))}
      </fieldset>
      <LabelSelect label="region" all={texts.allRegions} reporters={reporters} />
      <LabelSelect label="team" all={texts.allTeams} reporters={reporters} />
    </div>
  );
}

type LabelSelectProps = { label: 'region' | 'team'; all: string; reporters: readonly ReporterHealth[] };

/** Nothing to choose where no reporter has the label. */
function LabelSelect({ label, all, reporters }: LabelSelectProps) {
  const texts = useTexts(reportersTexts);
  const chosen = useChosen()[label];
  const { choose: go } = useAddress();
  const values = [...new Set(reporters.flatMap((reporter) => reporter[label] ?? []))].sort();
  if (values.length === 0 && chosen === undefined) return null;
  const hasWithout = reporters.some((reporter) => reporter[label] === null);
  return (
    <label>
      <span class="visually-hidden">{texts[label]}</span>
      <select
        value={chosen ?? ''}
        onChange={({ currentTarget }) => go({ [label]: currentTarget.value || undefined })}
      >
        <option value="">{all}</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
        {hasWithout && <option value={without}>{texts.without}</option>}
      </select>
    </label>
  );
}

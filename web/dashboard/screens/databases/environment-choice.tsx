import { useRef } from 'preact/hooks';
import type { DatabaseHealthAnswer } from '../../../../contract/database-health.js';
import { useAddress } from '../../address/use-address.js';
import { useTexts } from '../../texts.js';
import { databasesTexts } from './texts.js';

type EnvironmentChoiceProps = { data: DatabaseHealthAnswer | undefined; chosen: string | undefined };

/** Keeps production apart from the rest, where there is a rest. */
export function EnvironmentChoice({ data, chosen }: EnvironmentChoiceProps) {
  const texts = useTexts(databasesTexts);
  const { choose } = useAddress();
  // An answer for one environment names no other one.
  const known = useRef(new Set<string>());
  for (const { environment } of [
    ...(data?.sources ?? []),
    ...(data?.current.pools ?? []),
    ...(data?.exporters.services ?? []),
  ])
    known.current.add(environment);
  if (chosen !== undefined) known.current.add(chosen);
  if (known.current.size < 2 && chosen === undefined) return null;
  return (
    <label class="environment">
      <span class="visually-hidden">{texts.environment}</span>
      <select
        value={chosen ?? ''}
        onChange={({ currentTarget: { value } }) => choose({ environment: value === '' ? undefined : value })}
      >
        <option value="">{texts.allEnvironments}</option>
        {[...known.current].sort().map((environment) => (
          <option key={environment} value={environment}>
            {environment}
          </option>
        ))}
      </select>
    </label>
  );
}

import { useMemo } from 'preact/hooks';
import type { ReporterHealth } from '../../../../contract/analytics/reporters.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Panel } from '../../kit/panel.js';
import { DataTable } from '../../kit/table/data-table.js';
import { useShareLimits, useShareWords } from '../../kit/use-share-limits.js';
import { useTexts } from '../../texts.js';
import { columnsOf } from './columns.js';
import { keyOf } from './instances.js';
import { reportersTexts } from './texts.js';

/** The figures of an instance are in its service, and its strip in the list of all reporters. */
const shownColumns = new Set(['name', 'state', 'lastCall', 'promise', 'region', 'team']);

/** The reporters of a service with their states. */
export function InstancesPanel({ instances }: { instances: readonly ReporterHealth[] }) {
  const texts = useTexts(reportersTexts);
  const format = useFormat();
  const { path, to } = useAddress();
  const [limits, shareWords] = [useShareLimits(), useShareWords()];
  const columns = useMemo(
    () =>
      columnsOf({
        ...{ texts, format, limits, shareWords, callsOf: () => undefined, instancesOf: () => [] },
        hrefOf: ({ id, kind }) => to(path, { reporter: id, kind }),
      }).filter(({ key }) => shownColumns.has(key)),
    [texts, format, limits, shareWords, path],
  );
  return (
    <Panel title={texts.instances} note={texts.instancesNote} flush>
      <DataTable
        name={texts.instances}
        rows={instances}
        columns={columns}
        keyOf={keyOf}
        rowClass={() => 'of-one-service'}
        sorting={{ key: 'state', isDescending: false }}
        isShort
      />
    </Panel>
  );
}

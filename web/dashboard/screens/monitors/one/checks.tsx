import { useMemo } from 'preact/hooks';
import type { StoredCheck } from '../../../../../contract/manage/monitor-checks.js';
import { useAddress } from '../../../address/use-address.js';
import { type Format, useFormat } from '../../../format.js';
import { Badge } from '../../../kit/badge.js';
import { Panel } from '../../../kit/panel.js';
import { Paging } from '../../../kit/resource-list.js';
import { Empty, ReadView, Skeleton } from '../../../kit/states.js';
import type { Column } from '../../../kit/table/column.js';
import { DataTable } from '../../../kit/table/data-table.js';
import type { Read } from '../../../reads/use-read.js';
import { useTexts } from '../../../texts.js';
import { wordsOf } from '../columns.js';
import { type StateTexts, stateTexts } from '../state-texts.js';
import { type MonitorsTexts, monitorsTexts } from '../texts.js';
import type { ChecksAnswer } from './use-monitor.js';

type ColumnWords = { texts: MonitorsTexts; states: StateTexts; format: Format };

type ChecksProps = {
  monitor: string;
  read: Read<ChecksAnswer>;
  /** The time that the checks are before; the newest ones of the range without it. */
  before: string | undefined;
  isMeasured: boolean;
};

/** The checks of the range, part by part; `before` in the address says where the part begins. */
export function Checks({ monitor, read, before, isMeasured }: ChecksProps) {
  const texts = useTexts(monitorsTexts);
  const format = useFormat();
  const { choose } = useAddress();
  const states = useTexts(stateTexts);
  const columns = useMemo(
    () => columnsOf({ texts, states, format }, isMeasured),
    [texts, states, format, isMeasured],
  );
  const onNewest = before === undefined ? undefined : () => choose({ before: undefined });
  const title =
    before === undefined
      ? texts.checkList
      : texts.checkListOlder({ moment: format.full(Date.parse(before)) });
  return (
    <Panel title={title} flush>
      <ReadView
        read={read}
        skeleton={<Skeleton lines={8} />}
        isEmpty={({ items }) => items.length === 0}
        empty={
          <Empty title={texts.noChecks}>
            <p>{before === undefined ? texts.noChecksWhy : texts.noOlder}</p>
            <Paging onNewest={onNewest} />
          </Empty>
        }
      >
        {({ items, nextCursor }) => (
          <DataTable
            addressKey="checks"
            name={texts.checkFile({ monitor })}
            rows={items}
            columns={columns}
            keyOf={({ at }) => at}
            sorting={{ key: 'at', isDescending: true }}
            actions={
              <Paging
                onNewest={onNewest}
                onOlder={nextCursor === null ? undefined : () => choose({ before: items.at(-1)?.at })}
              />
            }
          />
        )}
      </ReadView>
    </Panel>
  );
}

function columnsOf({ texts, states, format }: ColumnWords, isMeasured: boolean): Column<StoredCheck>[] {
  return [
    {
      key: 'at',
      title: texts.at,
      value: ({ at }) => at,
      cell: ({ at }) => <time dateTime={at}>{format.full(Date.parse(at))}</time>,
    },
    {
      key: 'result',
      title: texts.result,
      value: ({ ok }) => (ok ? texts.passed : texts.failedOne),
      cell: ({ ok }) => <Badge tone={ok ? 'good' : 'bad'}>{ok ? texts.passed : texts.failedOne}</Badge>,
    },
    { key: 'why', title: texts.why, value: ({ error }) => wordsOf(error, texts) },
    ...(isMeasured ? measuredColumns(texts, format) : []),
    {
      key: 'counted',
      title: texts.counted,
      help: texts.countedHelp,
      isMinor: true,
      value: ({ up }) => states[up ? 'up' : 'down'],
    },
  ];
}

function measuredColumns(texts: MonitorsTexts, format: Format): Column<StoredCheck>[] {
  const { phaseNames } = texts;
  const msColumn = (
    key: 'dnsMs' | 'connectMs' | 'tlsMs' | 'firstByteMs' | 'totalMs',
    title: string,
  ): Column<StoredCheck> => ({
    ...{ key, title, isFigure: true, isMinor: key !== 'totalMs' },
    value: (check) => check[key],
    cell: (check) => {
      const ms = check[key];
      return ms !== null && format.ms(ms);
    },
  });
  return [
    { key: 'status', title: texts.status, isFigure: true, value: ({ status }) => status },
    msColumn('totalMs', texts.total),
    msColumn('dnsMs', phaseNames.dnsMs),
    msColumn('connectMs', phaseNames.connectMs),
    msColumn('tlsMs', phaseNames.tlsMs),
    msColumn('firstByteMs', phaseNames.firstByteMs),
  ];
}

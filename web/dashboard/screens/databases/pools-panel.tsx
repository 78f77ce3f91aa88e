import { useMemo } from 'preact/hooks';
import { useAddress } from '../../address/use-address.js';
import { type Format, useFormat } from '../../format.js';
import { Badge } from '../../kit/badge.js';
import { Command } from '../../kit/command.js';
import { Panel } from '../../kit/panel.js';
import { Sparkline } from '../../kit/sparkline.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import type { Column } from '../../kit/table/column.js';
import { DataTable } from '../../kit/table/data-table.js';
import { useSession } from '../../session.js';
import { useTexts } from '../../texts.js';
import { reporterCode } from './commands.js';
import { makePoolRows, type PoolRow } from './pool-rows.js';
import { Unknown } from './servers-panel.js';
import { ShareBar } from './share-bar.js';
import { heightOf, isBeyond, type Percentile } from './summary.js';
import { type DatabasesTexts, databasesTexts } from './texts.js';
import type { DatabaseReads } from './use-databases.js';

/** Pools in groups, from the services down to one pool: each row leads to what it consists of. */
export function PoolsPanel({ all, groups, summary, level }: DatabaseReads) {
  const texts = useTexts(databasesTexts);
  const format = useFormat();
  const { baseUrl } = useSession();
  const { path, query, to } = useAddress();
  const columns = useMemo(
    () =>
      columnsOf(texts, format, {
        title: texts.levels[level],
        hrefOf: (group) => (level === 'serverPool' ? undefined : to(path, { ...query, [level]: group })),
      }),
    [texts, format, level, path, query],
  );
  return (
    <Panel title={texts.pools} note={texts.poolsNote[level]} flush>
      <ReadView
        read={summary}
        skeleton={<Skeleton lines={6} />}
        isEmpty={({ series, current }) => series.length === 0 && current.pools.length === 0}
        empty={
          <Empty title={texts.noPools}>
            <p>{texts.noPoolsWhy}</p>
            <Command>{reporterCode(baseUrl)}</Command>
          </Empty>
        }
      >
        {(data) => (
          <DataTable
            key={level}
            name={`${texts.pools}, ${texts.levels[level]}`}
            rows={makePoolRows(
              {
                // An answer to what was asked before has other groups and other times.
                all: all.isOlder || summary.isOlder ? undefined : all.data,
                groups: groups.isOlder || summary.isOlder ? undefined : groups.data,
                summary: data,
              },
              level,
            )}
            addressKey="pools"
            columns={columns}
            keyOf={({ group }) => group}
            sorting={{ key: 'utilisation', isDescending: true }}
          />
        )}
      </ReadView>
    </Panel>
  );
}

type NameColumn = { title: string; hrefOf(group: string): string | undefined };

function columnsOf(texts: DatabasesTexts, format: Format, { title, hrefOf }: NameColumn): Column<PoolRow>[] {
  const unknown = <Unknown text={texts.notMeasured} />;
  const count = (value: number | null | undefined) => (value == null ? unknown : format.count(value));
  const percentile = (key: 'p95Ms' | 'p99Ms', percent: number): Column<PoolRow> => ({
    ...{ key, title: `p${percent}`, help: texts.percentileHelp({ percent }), isFigure: true },
    value: ({ figures }) => heightOf(figures?.[key] ?? null),
    cell: ({ figures }) => percentileText(figures?.[key] ?? null, texts, format) ?? unknown,
  });
  return [
    {
      ...{ key: 'group', title, class: 'name-cell' },
      value: ({ group }) => group,
      cell: ({ group }) => <Name group={group} href={hrefOf(group)} />,
    },
    {
      ...{ key: 'utilisation', title: texts.utilisation, help: texts.utilisationHelp, isFigure: false },
      value: ({ figures }) => figures?.utilisation ?? null,
      cell: ({ figures }) =>
        figures?.utilisation == null ? (
          unknown
        ) : (
          <ShareBar share={figures.utilisation}>{format.share(figures.utilisation)}</ShareBar>
        ),
    },
    {
      ...{ key: 'course', title: texts.utilisationCourse, isPicture: true, isMinor: true },
      value: () => null,
      cell: ({ utilisation }) => utilisation !== undefined && <Sparkline values={utilisation} />,
    },
    {
      ...{ key: 'waiting', title: texts.waiting, help: texts.waitingHelp, isFigure: true },
      value: ({ now }) => now?.waiting ?? null,
      cell: ({ now }) =>
        now?.waiting ? <Badge tone="warn">{format.count(now.waiting)}</Badge> : count(now?.waiting),
    },
    {
      ...{
        key: 'peakWaiting',
        title: texts.peakWaiting,
        help: texts.peakWaitingHelp,
        isFigure: true,
        isMinor: true,
      },
      value: ({ figures }) => figures?.peakWaiting ?? null,
      cell: ({ figures }) => count(figures?.peakWaiting),
    },
    percentile('p95Ms', 95),
    percentile('p99Ms', 99),
    {
      ...{ key: 'failures', title: texts.failures, help: texts.failuresHelp, isFigure: true },
      value: ({ figures }) => figures?.failures ?? null,
      cell: ({ figures }) => count(figures?.failures),
    },
    {
      ...{ key: 'acquisitions', title: texts.acquisitions, isFigure: true, isMinor: true },
      value: ({ figures }) => figures?.acquisitions ?? null,
      cell: ({ figures }) => count(figures?.acquisitions),
    },
    {
      ...{ key: 'processes', title: texts.processes, isFigure: true, isMinor: true },
      value: ({ now }) => now?.processes ?? null,
      cell: ({ now }) => (now === undefined ? unknown : format.count(now.processes)),
    },
    {
      ...{ key: 'coverage', title: texts.coverage, help: texts.coverageHelp, isMinor: true },
      value: ({ now, figures }) => (now === undefined ? null : (now.coverage ?? figures?.coverage ?? null)),
      cell: ({ now }) => <Coverage now={now} texts={texts} />,
    },
  ];
}

function Name({ group, href }: { group: string; href: string | undefined }) {
  if (href === undefined) return <strong dir="auto">{group}</strong>;
  return (
    <a href={href} dir="auto">
      {group}
    </a>
  );
}

function Coverage({ now, texts }: { now: PoolRow['now']; texts: DatabasesTexts }) {
  if (now === undefined) {
    return (
      <span title={texts.noReportNow}>
        <Badge tone="warn">{texts.noReport}</Badge>
      </span>
    );
  }
  return <Badge tone={now.coverage === 'complete' ? 'good' : 'info'}>{texts.coverages[now.coverage]}</Badge>;
}

/** `≤ 50 ms`: the bound of the bucket that holds the percentile; `undefined` without acquisitions. */
export function percentileText(
  percentile: Percentile,
  { atMost, moreThan }: DatabasesTexts,
  { ms }: Format,
): string | undefined {
  const height = heightOf(percentile);
  if (height === null) return undefined;
  return isBeyond(percentile) ? moreThan({ time: ms(height) }) : atMost({ time: ms(height) });
}

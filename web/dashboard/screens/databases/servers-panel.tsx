import type { DatabaseHealthAnswer, DatabaseSource } from '../../../../contract/database-health.js';
import { type Format, useFormat } from '../../format.js';
import { Badge } from '../../kit/badge.js';
import { Command } from '../../kit/command.js';
import { Panel } from '../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import type { Column } from '../../kit/table/column.js';
import { DataTable } from '../../kit/table/data-table.js';
import type { Read } from '../../reads/use-read.js';
import { useSession } from '../../session.js';
import { useTexts } from '../../texts.js';
import { observationCommand } from './commands.js';
import { ShareBar } from './share-bar.js';
import { type DatabasesTexts, databasesTexts } from './texts.js';

/** Servers as something outside of them sees them. */
export function ServersPanel({ read }: { read: Read<DatabaseHealthAnswer> }) {
  const texts = useTexts(databasesTexts);
  const format = useFormat();
  const { baseUrl } = useSession();
  return (
    <Panel title={texts.servers} note={texts.serversNote} flush>
      <ReadView
        read={read}
        skeleton={<Skeleton lines={4} />}
        isEmpty={({ sources }) => sources.length === 0}
        empty={
          <Empty title={texts.noServers}>
            <p>{texts.noServersWhy}</p>
            <Command>{observationCommand(baseUrl)}</Command>
          </Empty>
        }
      >
        {({ sources }) => (
          <DataTable
            name={texts.servers}
            addressKey="servers"
            rows={sources}
            columns={columnsOf(texts, format)}
            keyOf={({ sourceId }) => sourceId}
            sorting={{ key: 'state', isDescending: false }}
          />
        )}
      </ReadView>
    </Panel>
  );
}

/** The share of its connections that a server has open; null when it is not known. */
export function fullnessOf({ connections, connectionLimit }: DatabaseSource): number | null {
  return connections === null || !connectionLimit ? null : connections / connectionLimit;
}

function columnsOf(texts: DatabasesTexts, format: Format): Column<DatabaseSource>[] {
  const count = (value: number | null) =>
    value === null ? <Unknown text={texts.notMeasured} /> : format.count(value);
  return [
    {
      ...{ key: 'server', title: texts.server, class: 'name-cell' },
      value: ({ sourceId }) => sourceId,
      cell: ({ sourceId, target }) => (
        <>
          <strong dir="auto">{sourceId}</strong> <span class="note">{target}</span>
        </>
      ),
    },
    {
      ...{ key: 'state', title: texts.state },
      value: (source) => stateOrder(source),
      text: (source) => stateText(source, texts),
      cell: (source) => <State source={source} texts={texts} />,
    },
    {
      ...{ key: 'connections', title: texts.connections },
      value: (source) => fullnessOf(source),
      cell: (source) => <Connections source={source} texts={texts} format={format} />,
    },
    {
      ...{ key: 'active', title: texts.active, help: texts.activeHelp, isFigure: true, isMinor: true },
      value: ({ activeSessions }) => activeSessions,
      cell: ({ activeSessions }) => count(activeSessions),
    },
    {
      ...{ key: 'blocked', title: texts.blocked, help: texts.blockedHelp, isFigure: true },
      value: ({ blockedSessions }) => blockedSessions,
      cell: ({ blockedSessions }) =>
        blockedSessions === null || blockedSessions === 0 ? (
          count(blockedSessions)
        ) : (
          <Badge tone="warn">{format.count(blockedSessions)}</Badge>
        ),
    },
    {
      ...{ key: 'latency', title: texts.latency, isFigure: true, isMinor: true },
      value: ({ latencyMs }) => latencyMs,
      cell: ({ latencyMs }) => format.ms(latencyMs),
    },
    {
      ...{ key: 'observed', title: texts.observed, isFigure: true },
      value: ({ observedAt }) => observedAt,
      cell: ({ observedAt }) => (
        <time dateTime={observedAt} title={format.full(Date.parse(observedAt))}>
          {format.ago(Date.now() - Date.parse(observedAt))}
        </time>
      ),
    },
    { key: 'engine', title: texts.engine, isMinor: true, value: ({ engine }) => engine },
    { key: 'environment', title: texts.environment, isMinor: true, value: ({ environment }) => environment },
  ];
}

/** Servers that need a look come first. */
function stateOrder({ outcome, fresh }: DatabaseSource): number {
  if (outcome !== 'connected') return 0;
  return fresh ? 2 : 1;
}

type PartProps = { source: DatabaseSource; texts: DatabasesTexts };

/** A reporter may name an outcome of its own, which stays as it is. */
function stateText(
  { outcome, fresh }: Pick<DatabaseSource, 'outcome' | 'fresh'>,
  texts: DatabasesTexts,
): string {
  if (outcome === 'connected') return fresh ? texts.connected : texts.stale;
  return new Map(Object.entries(texts.outcomes)).get(outcome) ?? outcome;
}

function State({ source: { outcome, fresh }, texts }: PartProps) {
  const tone = outcome !== 'connected' ? 'bad' : fresh ? 'good' : 'warn';
  return <Badge tone={tone}>{stateText({ outcome, fresh }, texts)}</Badge>;
}

function Connections({ source, texts, format }: PartProps & { format: Format }) {
  const { connections, connectionLimit } = source;
  if (connections === null) return <Unknown text={texts.notMeasured} />;
  const fullness = fullnessOf(source);
  if (fullness === null || connectionLimit === null) return format.count(connections);
  return (
    <ShareBar share={fullness}>
      {texts.ofMax({ used: format.count(connections), max: format.count(connectionLimit) })}
    </ShareBar>
  );
}

/** A missing measurement is not 0. */
export function Unknown({ text }: { text: string }) {
  return (
    <span class="note" title={text}>
      <span aria-hidden="true">–</span>
      <span class="visually-hidden">{text}</span>
    </span>
  );
}

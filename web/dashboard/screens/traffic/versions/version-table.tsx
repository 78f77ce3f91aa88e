import { useMemo } from 'preact/hooks';
import type { ListedVersion } from '../../../../../contract/analytics/versions.js';
import { type Format, useFormat } from '../../../format.js';
import type { Column } from '../../../kit/table/column.js';
import { DataTable } from '../../../kit/table/data-table.js';
import { kitTexts } from '../../../kit/texts.js';
import { useTexts } from '../../../texts.js';
import { type VersionsTexts, versionsTexts } from './texts.js';

/** The newest versions of a service, with their figures of the last day. */
export function VersionTable({ versions }: { versions: readonly ListedVersion[] }) {
  const texts = useTexts(versionsTexts);
  const { none } = useTexts(kitTexts);
  const format = useFormat();
  const columns = useMemo(() => columnsOf({ texts, format, none }), [texts, format, none]);
  return (
    <DataTable
      name={texts.title}
      rows={versions}
      columns={columns}
      keyOf={({ deploymentId }) => deploymentId}
      sorting={{ key: 'came', isDescending: true }}
      isShort
    />
  );
}

type Words = { texts: VersionsTexts; format: Format; none: string };

function columnsOf({ texts, format, none }: Words): Column<ListedVersion>[] {
  type Pick = (version: ListedVersion) => number | null;
  const figure = (key: string, title: string, value: Pick, write: (value: number) => string) => ({
    ...{ key, title, value, isFigure: true },
    cell: (version: ListedVersion) => {
      const known = value(version);
      return known === null ? none : write(known);
    },
  });
  return [
    {
      ...{ key: 'version', title: texts.version, value: ({ version }) => version },
      cell: ({ version, url }) => (url === null ? version : <a href={url}>{version}</a>),
    },
    {
      ...{ key: 'environment', title: texts.environment, isMinor: true },
      value: ({ environment }) => environment,
      cell: ({ environment }) => environment ?? none,
    },
    {
      ...{ key: 'came', title: texts.came, value: ({ at }) => Date.parse(at) },
      text: ({ at }) => at,
      cell: ({ at, announcedAt }) => (
        <>
          <time dateTime={at}>{format.moment(Date.parse(at))}</time>{' '}
          <span class="note">{announcedAt === null ? texts.firstSeen : texts.announced}</span>
        </>
      ),
    },
    {
      ...figure('share', texts.share, ({ share }) => share, format.share),
      ...{ help: texts.shareHelp, isMinor: true },
    },
    {
      ...figure('requests', texts.requests, ({ requests }) => requests, format.count),
      ...{ help: texts.requestsHelp, isMinor: true },
    },
    figure('failures', texts.failureRate, ({ failureRate }) => failureRate, format.share),
    figure('p95', texts.p95, ({ p95Ms }) => p95Ms, format.ms),
  ];
}

import type { RulePreview } from '../../../../../contract/manage/rule-preview.js';
import { useFormat } from '../../../format.js';
import type { Column } from '../../../kit/table/column.js';
import { DataTable } from '../../../kit/table/data-table.js';
import { useTexts } from '../../../texts.js';
import { previewTexts } from './texts.js';

type Firing = RulePreview['firings'][number];

/** As many as one looks at beside a form. */
const shownMax = 20;

/** The newest alerts that the rule would have made. */
export function Firings({ preview: { firings, to } }: { preview: RulePreview }) {
  const texts = useTexts(previewTexts);
  const format = useFormat();
  const secondsOf = ({ startedAt, endedAt }: Firing): number =>
    (Date.parse(endedAt ?? to) - Date.parse(startedAt)) / 1_000;
  const columns: Column<Firing>[] = [
    {
      key: 'began',
      title: texts.began,
      value: ({ startedAt }) => Date.parse(startedAt),
      cell: ({ startedAt }) => format.moment(Date.parse(startedAt)),
    },
    {
      key: 'ended',
      title: texts.ended,
      isMinor: true,
      value: ({ endedAt }) => (endedAt === null ? null : Date.parse(endedAt)),
      cell: ({ endedAt }) => (endedAt === null ? texts.lasts : format.moment(Date.parse(endedAt))),
    },
    {
      key: 'lasted',
      title: texts.lasted,
      isFigure: true,
      value: secondsOf,
      cell: (firing) => format.duration(secondsOf(firing)),
    },
  ];
  if (firings.some(({ group }) => group !== '')) {
    columns.push({ key: 'group', title: texts.group, value: ({ group }) => group });
  }
  return (
    <DataTable
      {...{ isShort: true, name: texts.firings, rows: firings.slice(0, shownMax), columns }}
      keyOf={({ startedAt, group }) => `${startedAt} ${group}`}
      sorting={{ key: 'began', isDescending: true }}
    />
  );
}

import type { AlertRulePreview } from '../../../../contract/manage/alert-rule.js';
import { useFormat } from '../../format.js';
import { Panel } from '../../kit/panel.js';
import { ErrorNotice, Skeleton } from '../../kit/states.js';
import type { Column } from '../../kit/table/column.js';
import { DataTable } from '../../kit/table/data-table.js';
import { useTexts } from '../../texts.js';
import { FiringStrip } from './firing-strip.js';
import { bodyOf, checkRule, type RuleFields } from './rule.js';
import { rulesTexts } from './texts.js';
import { useBackTest } from './use-back-test.js';

/** Draws the back-test of a rule over the last 14 days: a sentence, a time line and a table. */
export function BackTest({ rule }: { rule: RuleFields }) {
  const texts = useTexts(rulesTexts);
  const isUsable = Object.keys(checkRule(rule, texts)).length === 0;
  const { preview, error, isOlder, retry } = useBackTest(isUsable ? bodyOf(rule) : undefined);
  return (
    <Panel title={texts.backTest} note={texts.backTestWhy}>
      {!isUsable && (
        <p class="note" role="status">
          {texts.mend}
        </p>
      )}
      {isUsable && error !== undefined && <ErrorNotice error={error} retry={retry} />}
      {isUsable && error === undefined && preview === undefined && <Skeleton height={160} />}
      {isUsable && error === undefined && preview !== undefined && (
        <div class={isOlder ? 'back-test read-view older' : 'back-test read-view'} aria-busy={isOlder}>
          <Result preview={preview} />
        </div>
      )}
    </Panel>
  );
}

function Result({ preview }: { preview: AlertRulePreview }) {
  const texts = useTexts(rulesTexts);
  const format = useFormat();
  const { count, firings } = preview;
  const end = Date.parse(preview.to);
  const seconds = firings.reduce((sum, firing) => sum + secondsOf(firing, end), 0);
  const said =
    count === 0
      ? texts.resultNone
      : texts.result({ count, shown: format.count(count), span: format.duration(seconds) });
  return (
    <>
      <p class="back-test-result" role="status">
        {said} {count > firings.length && texts.newest({ shown: format.count(firings.length) })}
      </p>
      <FiringStrip preview={preview} />
      {count > 0 && <Firings preview={preview} />}
    </>
  );
}

type Firing = AlertRulePreview['firings'][number];

function secondsOf({ from, to }: Firing, end: number): number {
  return ((to === null ? end : Date.parse(to)) - Date.parse(from)) / 1_000;
}

function Firings({ preview }: { preview: AlertRulePreview }) {
  const texts = useTexts(rulesTexts);
  const format = useFormat();
  const end = Date.parse(preview.to);
  const shareOf = ({ errors, requests }: Firing): number => errors / Math.max(1, requests);
  const columns: Column<Firing>[] = [
    {
      key: 'opened',
      title: texts.opened,
      value: ({ from }) => Date.parse(from),
      cell: ({ from }) => format.moment(Date.parse(from)),
    },
    {
      key: 'resolved',
      title: texts.resolved,
      isMinor: true,
      value: ({ to }) => (to === null ? null : Date.parse(to)),
      cell: ({ to }) => (to === null ? texts.lasts : format.moment(Date.parse(to))),
    },
    {
      key: 'lasted',
      title: texts.lasted,
      isFigure: true,
      value: (firing) => secondsOf(firing, end),
      cell: (firing) => format.duration(secondsOf(firing, end)),
    },
    {
      key: 'share',
      title: texts.share,
      isFigure: true,
      value: shareOf,
      cell: (firing) => format.share(shareOf(firing)),
    },
    {
      key: 'failed',
      title: texts.failed,
      isFigure: true,
      isMinor: true,
      value: ({ errors }) => errors,
      cell: ({ errors }) => format.count(errors),
    },
    {
      key: 'counted',
      title: texts.counted,
      isFigure: true,
      isMinor: true,
      value: ({ requests }) => requests,
      cell: ({ requests }) => format.count(requests),
    },
  ];
  return (
    <DataTable
      isShort
      name={texts.firings}
      rows={preview.firings}
      columns={columns}
      keyOf={({ from }) => from}
      sorting={{ key: 'opened', isDescending: true }}
    />
  );
}

import { useMemo } from 'preact/hooks';
import { type ManagedObjective, objectiveLimits } from '../../../../contract/manage/objectives.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Icon } from '../../kit/icons.js';
import { ResourceList } from '../../kit/resource-list.js';
import { pagePath } from '../../reads/api-path.js';
import { useList } from '../../reads/use-list.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { useTexts } from '../../texts.js';
import { columnsOf } from './columns.js';
import { objectivesTexts } from './texts.js';
import { useReports } from './use-reports.js';

const nothing: readonly ManagedObjective[] = [];

/** Every objective of the page, the one with the least budget first. */
export function ObjectiveList() {
  const { slug } = usePage();
  const texts = useTexts(objectivesTexts);
  const format = useFormat();
  const { path, to } = useAddress();
  const list = useList<ManagedObjective>(pagePath(slug, '/objectives'), {
    limit: objectiveLimits.perPage,
    everyMs: 60_000,
  });
  const { rows, reads } = useReports(list.read.data?.items ?? nothing);
  const columns = useMemo(
    () => columnsOf({ texts, format }, (objective) => to(path, { objective })),
    [texts, format, path],
  );
  const shown = { ...list, read: { ...list.read, data: list.read.data && { items: rows } } };
  return (
    <Screen title={texts.list} actions={<AddButton />}>
      {reads}
      <ResourceList
        {...{ list: shown, columns, title: texts.list, note: texts.listWhy }}
        isShort={rows.length <= fewRows}
        addressKey="objectives"
        keyOf={({ slug: key }) => key}
        sorting={{ key: 'left', isDescending: false }}
        empty={{ title: texts.none, why: texts.noneWhy, action: <AddButton /> }}
      />
    </Screen>
  );
}

/** As many are seen at one look, and need no filter. */
const fewRows = 12;

function AddButton() {
  const { choose } = useAddress();
  const { add } = useTexts(objectivesTexts);
  return (
    <PermittedButton
      permission="rules.write"
      class="button small main"
      onClick={() => choose({ new: 'objective' })}
    >
      <Icon name="plus" />
      {add}
    </PermittedButton>
  );
}

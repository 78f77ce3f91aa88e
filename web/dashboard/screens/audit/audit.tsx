import { useMemo } from 'preact/hooks';
import type { AuditEntry } from '../../../../contract/manage/audit.js';
import { useAddress } from '../../address/use-address.js';
import { Panel } from '../../kit/panel.js';
import { useLabels } from '../../kit/person.js';
import { Paging } from '../../kit/resource-list.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import { pagePath } from '../../reads/api-path.js';
import { searchedPart, useList } from '../../reads/use-list.js';
import { usePage } from '../../session.js';
import { Screen } from '../../shell/screen.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { Download } from './download.js';
import { EntryRow } from './entry-row.js';
import { Filters, filtersOf } from './filters.js';
import { auditTexts } from './texts.js';

/** Who changed what on the page. */
export default function Audit() {
  const { screens } = useTexts(shellTexts);
  const { query } = useAddress();
  const { slug } = usePage();
  const path = pagePath(slug, '/audit', filtersOf(query));
  return (
    <Screen title={screens.audit} actions={<Download path={path} />}>
      {/* The parts of another list have other places. */}
      <Log key={path} />
    </Screen>
  );
}

function Log() {
  const texts = useTexts(auditTexts);
  const { query, choose } = useAddress();
  const { slug } = usePage();
  const filters = filtersOf(query);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const { read, onNewest, onOlder } = useList<AuditEntry>(pagePath(slug, '/audit'), {
    ...{ ...searchedPart, filter: filters },
  });
  const actions = useMemo(
    () => [...new Set(read.data?.items.map(({ action }) => action))].sort(),
    [read.data],
  );
  const labelOf = useLabels(read.data?.items.flatMap(({ actor, target }) => [actor, target]) ?? []);
  return (
    <Panel title={texts.list} note={texts.why} flush>
      <Filters actions={actions} />
      <ReadView
        read={read}
        skeleton={<Skeleton lines={10} />}
        isEmpty={({ items }) => items.length === 0}
        empty={
          isFiltered ? (
            <p class="no-match">
              {texts.noMatch}{' '}
              <button
                type="button"
                class="link-button"
                onClick={() =>
                  choose(Object.fromEntries(Object.keys(query).map((name) => [name, undefined])))
                }
              >
                {texts.clear}
              </button>
            </p>
          ) : (
            <Empty title={texts.none}>
              <p>{texts.noneWhy}</p>
            </Empty>
          )
        }
      >
        {({ items }) => (
          <>
            <ol class="audit-log">
              {items.map((entry) => (
                <EntryRow key={entry.id} entry={entry} labelOf={labelOf} />
              ))}
            </ol>
            <div class="audit-paging">
              <Paging onNewest={onNewest} onOlder={onOlder} />
            </div>
          </>
        )}
      </ReadView>
    </Panel>
  );
}

import { useMemo, useState } from 'preact/hooks';
import type { ManagedSubscriber } from '../../../../contract/manage/subscribers.js';
import type { SubscriberFilter } from '../../../../contract/subscribers.js';
import { useAddress } from '../../address/use-address.js';
import { useSearch } from '../../address/use-search.js';
import { useFormat } from '../../format.js';
import { FilterField } from '../../kit/filter-field.js';
import { Segments } from '../../kit/form/choices.js';
import { SendError } from '../../kit/form/form.js';
import { Icon } from '../../kit/icons.js';
import { useLanguageName } from '../../kit/language-name.js';
import { Paging } from '../../kit/paging.js';
import { Panel } from '../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import { DataTable } from '../../kit/table/data-table.js';
import { pagePath } from '../../reads/api-path.js';
import { fromNewest, usePart } from '../../reads/use-part.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { useChange } from './changed.js';
import { columnsOf } from './columns.js';
import { ExportButton } from './export.js';
import { importTexts } from './import/texts.js';
import { type Asked, AskedDialog, useAskAgain } from './row-actions.js';
import { useSubscribersTexts } from './use-subscribers-texts.js';

const filters: readonly SubscriberFilter[] = ['confirmed', 'unconfirmed', 'suppressed'];
const pollMs = 30_000;

/** The addresses of the page, newest first, with a search where all of them are. */
export function AddressList() {
  const { slug } = usePage();
  const texts = useSubscribersTexts();
  const { query, choose } = useAddress();
  const search = useSearch(fromNewest);
  const state = filters.find((one) => one === query['state']);
  const list = usePart<ManagedSubscriber>(
    pagePath(slug, '/subscribers'),
    { q: search.asked, state },
    { everyMs: pollMs },
  );
  useChange(list.read.retry);
  return (
    <Panel
      title={texts.list}
      note={texts.listWhy}
      actions={<ExportButton q={search.asked} state={state} />}
      flush
    >
      <div class="table-tools list-tools">
        <FilterField label={texts.find} value={search.text} onChange={search.onInput} />
        <Segments
          label={texts.states}
          value={state ?? ''}
          options={[
            { value: '', title: texts.all },
            ...filters.map((value) => ({ value, title: texts.filters[value] })),
          ]}
          onChoose={(value) => choose({ ...fromNewest, state: value })}
        />
        <Paging onNewest={list.onNewest} onOlder={list.onOlder} />
      </div>
      <ReadView
        read={list.read}
        skeleton={<Skeleton lines={9} />}
        isEmpty={({ items }) => items.length === 0}
        empty={<NoAddress isFiltered={search.asked !== undefined || state !== undefined} />}
      >
        {({ items }) => <Addresses items={items} onChanged={list.read.retry} />}
      </ReadView>
    </Panel>
  );
}

function Addresses({ items, onChanged }: { items: readonly ManagedSubscriber[]; onChanged(): void }) {
  const texts = useSubscribersTexts();
  const format = useFormat();
  const nameOf = useLanguageName();
  const [asked, setAsked] = useState<Asked>();
  const askAgain = useAskAgain(onChanged);
  const columns = useMemo(
    () => columnsOf({ texts, format, nameOf, setAsked, askAgain: askAgain.run }),
    [texts, format, nameOf],
  );
  return (
    <>
      {askAgain.error !== undefined && <SendError error={askAgain.error} />}
      <DataTable
        isShort
        name={texts.subscribers}
        rows={items}
        columns={columns}
        keyOf={({ id }) => id}
        sorting={{ key: 'since', isDescending: true }}
      />
      {asked !== undefined && (
        <AskedDialog asked={asked} onClose={() => setAsked(undefined)} onChanged={onChanged} />
      )}
    </>
  );
}

function NoAddress({ isFiltered }: { isFiltered: boolean }) {
  const texts = useSubscribersTexts();
  const { importTitle } = useTexts(importTexts);
  const { choose, path, to } = useAddress();
  if (isFiltered) {
    return (
      <Empty title={texts.noneFound}>
        <p>{texts.noneFoundWhy}</p>
        <button
          type="button"
          class="button small"
          onClick={() => choose({ ...fromNewest, search: undefined, state: undefined })}
        >
          {texts.showAll}
        </button>
      </Empty>
    );
  }
  return (
    <Empty title={texts.none}>
      <p>{texts.noneWhy}</p>
      <p class="form-actions">
        <button type="button" class="button small" onClick={() => choose({ new: 'subscriber' })}>
          <Icon name="plus" />
          {texts.addOne}
        </button>
        <a class="button small" href={to(path, { view: 'import' })}>
          {importTitle}
        </a>
      </p>
    </Empty>
  );
}

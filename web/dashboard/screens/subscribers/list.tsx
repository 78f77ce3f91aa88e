import { useMemo, useState } from 'preact/hooks';
import type { ManagedSubscriber } from '../../../../contract/manage/subscribers.js';
import type { SubscriberFilter } from '../../../../contract/subscribers.js';
import { useAddress } from '../../address/use-address.js';
import { useSearch } from '../../address/use-search.js';
import { useFormat } from '../../format.js';
import { FilterField } from '../../kit/filter-field.js';
import { Segments } from '../../kit/form/choices.js';
import { Icon } from '../../kit/icons.js';
import { useLanguageName } from '../../kit/language-name.js';
import { ResourceList } from '../../kit/resource-list.js';
import { useAnnounced } from '../../reads/announce.js';
import { pagePath } from '../../reads/api-path.js';
import { fromNewest, keptPart, useList } from '../../reads/use-list.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
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
  const format = useFormat();
  const nameOf = useLanguageName();
  const { query, choose } = useAddress();
  const search = useSearch(fromNewest);
  const state = filters.find((one) => one === query['state']);
  const list = useList<ManagedSubscriber>(pagePath(slug, '/subscribers'), {
    ...{ ...keptPart, filter: { q: search.asked, state }, everyMs: pollMs },
  });
  useAnnounced('subscribers', list.read.retry);
  const [asked, setAsked] = useState<Asked>();
  const askAgain = useAskAgain(list.read.retry);
  const columns = useMemo(
    () => columnsOf({ texts, format, nameOf, setAsked, askAgain: askAgain.run }),
    [texts, format, nameOf],
  );
  const isFiltered = search.asked !== undefined || state !== undefined;
  return (
    <ResourceList
      {...{ list, columns, isShort: true, title: texts.list, note: texts.listWhy, error: askAgain.error }}
      name={texts.subscribers}
      keyOf={({ id }) => id}
      sorting={{ key: 'since', isDescending: true }}
      lines={9}
      actions={<ExportButton q={search.asked} state={state} />}
      tools={
        <>
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
        </>
      }
      empty={
        isFiltered
          ? { title: texts.noneFound, why: texts.noneFoundWhy, action: <ShowAll /> }
          : { title: texts.none, why: texts.noneWhy, action: <FirstAddress /> }
      }
    >
      {asked !== undefined && (
        <AskedDialog asked={asked} onClose={() => setAsked(undefined)} onChanged={list.read.retry} />
      )}
    </ResourceList>
  );
}

function ShowAll() {
  const { showAll } = useSubscribersTexts();
  const { choose } = useAddress();
  return (
    <button
      type="button"
      class="button small"
      onClick={() => choose({ ...fromNewest, search: undefined, state: undefined })}
    >
      {showAll}
    </button>
  );
}

/** The two ways to a first subscriber. */
function FirstAddress() {
  const texts = useSubscribersTexts();
  const { importTitle } = useTexts(importTexts);
  const { choose, path, to } = useAddress();
  return (
    <p class="form-actions">
      <button type="button" class="button small" onClick={() => choose({ new: 'subscriber' })}>
        <Icon name="plus" />
        {texts.addOne}
      </button>
      <a class="button small" href={to(path, { view: 'import' })}>
        {importTitle}
      </a>
    </p>
  );
}

import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ManagedKey } from '../../../../contract/manage/keys.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Segments } from '../../kit/form/choices.js';
import { Icon } from '../../kit/icons.js';
import { Panel } from '../../kit/panel.js';
import { useLabels } from '../../kit/person.js';
import { Paging } from '../../kit/resource-list.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import { DataTable } from '../../kit/table/data-table.js';
import { pagePath } from '../../reads/api-path.js';
import { searchedPart, useList } from '../../reads/use-list.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { columnsOf } from './columns.js';
import { CreateKey } from './create-key.js';
import { RenameKey } from './rename-key.js';
import { RevokeKey } from './revoke-key.js';
import { isUsable } from './state.js';
import { keysTexts } from './texts.js';

/** A key, and what is asked about it. */
type Asked = { key: ManagedKey; about: 'rename' | 'revoke' };

/** The keys with which programs use the page. */
export default function Keys() {
  const { screens } = useTexts(shellTexts);
  const texts = useTexts(keysTexts);
  const { query, choose } = useAddress();
  const { slug } = usePage();
  const list = useList<ManagedKey>(pagePath(slug, '/keys'), searchedPart);
  const create = (
    <PermittedButton permission="keys.write" onClick={() => choose({ new: 'key' })}>
      <Icon name="plus" />
      {texts.create}
    </PermittedButton>
  );
  return (
    <Screen title={screens.keys} actions={create}>
      <Panel title={texts.list} note={texts.why} flush>
        <ReadView
          read={list.read}
          skeleton={<Skeleton lines={6} />}
          isEmpty={({ items }) => items.length === 0}
          empty={
            <Empty title={texts.none}>
              <p>{texts.noneWhy}</p>
              {create}
            </Empty>
          }
        >
          {({ items }) => <KeyTable keys={items} onChanged={list.read.retry} paging={<Paging {...list} />} />}
        </ReadView>
      </Panel>
      {query['new'] === 'key' && (
        <CreateKey onCreated={list.read.retry} onClose={() => choose({ new: undefined })} />
      )}
    </Screen>
  );
}

type TableProps = { keys: readonly ManagedKey[]; onChanged(): void; paging: ComponentChildren };

function KeyTable({ keys, onChanged, paging }: TableProps) {
  const texts = useTexts(keysTexts);
  const format = useFormat();
  const { query, choose } = useAddress();
  const [asked, setAsked] = useState<Asked>();
  const isAll = query['show'] === 'all';
  const labelOf = useLabels(keys.map(({ createdBy }) => createdBy));
  const columns = useMemo(
    () => columnsOf(texts, format, (key, about) => setAsked({ key, about }), labelOf),
    [texts, format, keys],
  );
  const rows = useMemo(() => (isAll ? keys : keys.filter(isUsable)), [keys, isAll]);
  const close = (): void => setAsked(undefined);
  return (
    <>
      <DataTable
        addressKey="keys"
        name={texts.show}
        rows={rows}
        columns={columns}
        keyOf={({ id }) => id}
        sorting={{ key: 'name', isDescending: false }}
        rowClass={(key) => (isUsable(key) ? undefined : 'row-faded')}
        actions={
          <>
            <Segments
              label={texts.show}
              options={[
                { value: 'active', title: texts.active },
                { value: 'all', title: texts.all },
              ]}
              value={isAll ? 'all' : 'active'}
              onChoose={(chosen) => choose({ show: chosen === 'all' ? 'all' : undefined })}
            />
            {paging}
          </>
        }
      />
      {rows.length === 0 && <p class="no-match">{texts.noneActive}</p>}
      {asked?.about === 'rename' && (
        <RenameKey key={asked.key.id} of={asked.key} {...{ onChanged }} onClose={close} />
      )}
      {asked?.about === 'revoke' && (
        <RevokeKey key={asked.key.id} of={asked.key} {...{ onChanged }} onClose={close} />
      )}
    </>
  );
}

import { useMemo, useState } from 'preact/hooks';
import type { ManagedConnection } from '../../../../contract/manage/connections.js';
import { useAddress } from '../../address/use-address.js';
import { type Format, useFormat } from '../../format.js';
import { CopyButton } from '../../kit/copy-button.js';
import { Confirm } from '../../kit/form/confirm.js';
import { Icon } from '../../kit/icons.js';
import { showNotice } from '../../kit/notice.js';
import { Paging } from '../../kit/paging.js';
import { Panel } from '../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import type { Column } from '../../kit/table/column.js';
import { DataTable } from '../../kit/table/data-table.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { useList } from '../../reads/use-list.js';
import { useSend } from '../../reads/use-send.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { AddConnection } from './add-connection.js';
import { type ConnectionsTexts, connectionsTexts } from './texts.js';

/** The database servers that reports of the page name. */
export default function Connections() {
  const { screens } = useTexts(shellTexts);
  const texts = useTexts(connectionsTexts);
  const format = useFormat();
  const { query, choose } = useAddress();
  const { slug } = usePage();
  const [asked, setAsked] = useState<ManagedConnection>();
  const { read, onNewest, onOlder } = useList<ManagedConnection>(pagePath(slug, '/connections'));
  const columns = useMemo(() => columnsOf(texts, format, setAsked), [texts, format]);
  const add = (
    <PermittedButton permission="connections.write" onClick={() => choose({ new: 'connection' })}>
      <Icon name="plus" />
      {texts.add}
    </PermittedButton>
  );
  return (
    <Screen title={screens.connections} actions={add}>
      <Panel title={texts.list} note={texts.why} flush>
        <ReadView
          read={read}
          skeleton={<Skeleton lines={4} />}
          isEmpty={({ items }) => items.length === 0}
          empty={
            <Empty title={texts.none}>
              <p>{texts.noneWhy}</p>
              {add}
            </Empty>
          }
        >
          {({ items }) => (
            <DataTable
              addressKey="connections"
              name={screens.connections}
              rows={items}
              columns={columns}
              keyOf={({ id }) => id}
              sorting={{ key: 'name', isDescending: false }}
              actions={<Paging onNewest={onNewest} onOlder={onOlder} />}
            />
          )}
        </ReadView>
      </Panel>
      {query['new'] === 'connection' && (
        <AddConnection onAdded={read.retry} onClose={() => choose({ new: undefined })} />
      )}
      {asked !== undefined && (
        <DeleteConnection of={asked} onDeleted={read.retry} onClose={() => setAsked(undefined)} />
      )}
    </Screen>
  );
}

type DeleteProps = { of: ManagedConnection; onDeleted(): void; onClose(): void };

function DeleteConnection({ of: { id, name }, onDeleted, onClose }: DeleteProps) {
  const texts = useTexts(connectionsTexts);
  const { slug } = usePage();
  const { run, isSending, error } = useSend(async () => {
    await sendJson('DELETE', pagePath(slug, `/connections/${id}`));
    showNotice(texts.deleted);
    onDeleted();
    onClose();
  });
  return (
    <Confirm
      title={texts.deleteTitle(name)}
      action={texts.delete}
      isDanger
      {...{ isSending, error, onClose }}
      onConfirm={run}
    >
      <p>{texts.deleteWhy}</p>
    </Confirm>
  );
}

function columnsOf(
  texts: ConnectionsTexts,
  format: Format,
  onDelete: (connection: ManagedConnection) => void,
): Column<ManagedConnection>[] {
  return [
    {
      key: 'name',
      title: texts.name,
      value: ({ name }) => name,
      cell: ({ name }) => <span dir="auto">{name}</span>,
    },
    { key: 'engine', title: texts.engine, value: ({ engine }) => texts.engines[engine] },
    {
      key: 'id',
      title: texts.id,
      isMinor: true,
      value: ({ id }) => id,
      cell: ({ id }) => (
        <span class="id-cell">
          <code>{id}</code>
          <CopyButton text={id} />
        </span>
      ),
    },
    {
      key: 'created',
      title: texts.created,
      isFigure: true,
      isMinor: true,
      value: ({ createdAt }) => Date.parse(createdAt),
      text: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => format.day(Date.parse(createdAt)),
    },
    {
      key: 'actions',
      title: texts.actions,
      isPicture: true,
      class: 'actions-cell',
      value: () => null,
      cell: (connection) => (
        <button
          type="button"
          class="button small"
          aria-label={texts.deleteOf(connection.name)}
          onClick={() => onDelete(connection)}
        >
          {texts.delete}
        </button>
      ),
    },
  ];
}

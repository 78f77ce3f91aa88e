import { useMemo, useState } from 'preact/hooks';
import type { ManagedConnection } from '../../../../contract/manage/connections.js';
import { useAddress } from '../../address/use-address.js';
import { type Format, useFormat } from '../../format.js';
import { CopyButton } from '../../kit/copy-button.js';
import { Confirm } from '../../kit/form/confirm.js';
import { Icon } from '../../kit/icons.js';
import { showNotice } from '../../kit/notice.js';
import { ResourceList } from '../../kit/resource-list.js';
import { actionColumn, type Column, timeColumn } from '../../kit/table/column.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { searchedPart, useList } from '../../reads/use-list.js';
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
  const list = useList<ManagedConnection>(pagePath(slug, '/connections'), searchedPart);
  const columns = useMemo(() => columnsOf(texts, format, setAsked), [texts, format]);
  const add = (
    <PermittedButton permission="connections.write" onClick={() => choose({ new: 'connection' })}>
      <Icon name="plus" />
      {texts.add}
    </PermittedButton>
  );
  return (
    <Screen title={screens.connections} actions={add}>
      <ResourceList
        {...{ list, columns, title: texts.list, note: texts.why, lines: 4 }}
        addressKey="connections"
        name={screens.connections}
        keyOf={({ id }) => id}
        sorting={{ key: 'name', isDescending: false }}
        empty={{ title: texts.none, why: texts.noneWhy, action: add }}
      />
      {query['new'] === 'connection' && (
        <AddConnection onAdded={list.read.retry} onClose={() => choose({ new: undefined })} />
      )}
      {asked !== undefined && (
        <DeleteConnection of={asked} onDeleted={list.read.retry} onClose={() => setAsked(undefined)} />
      )}
    </Screen>
  );
}

type DeleteProps = { of: ManagedConnection; onDeleted(): void; onClose(): void };

function DeleteConnection({ of: { id, name }, onDeleted, onClose }: DeleteProps) {
  const texts = useTexts(connectionsTexts);
  const { slug } = usePage();
  const confirm = async (): Promise<void> => {
    await sendJson('DELETE', pagePath(slug, `/connections/${id}`));
    showNotice(texts.deleted);
    onDeleted();
  };
  return (
    <Confirm
      title={texts.deleteTitle({ name })}
      action={texts.delete}
      isDanger
      onClose={onClose}
      onConfirm={confirm}
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
    timeColumn({
      key: 'created',
      title: texts.created,
      timeOf: ({ createdAt }) => createdAt,
      say: format.day,
    }),
    actionColumn(texts.actions, (connection) => (
      <button
        type="button"
        class="button small"
        aria-label={texts.deleteOf({ name: connection.name })}
        onClick={() => onDelete(connection)}
      >
        {texts.delete}
      </button>
    )),
  ];
}

import { useMemo } from 'preact/hooks';
import type { ManagedPage } from '../../../../contract/manage/pages.js';
import { accountPaths } from '../../../account/paths.js';
import { type Format, useFormat } from '../../format.js';
import { Icon } from '../../kit/icons.js';
import { Paging } from '../../kit/paging.js';
import { Panel } from '../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import type { Column } from '../../kit/table/column.js';
import { DataTable } from '../../kit/table/data-table.js';
import { useList } from '../../reads/use-list.js';
import { pathOfScreen } from '../../shell/screens.js';
import { useTexts } from '../../texts.js';
import { type InstallationTexts, installationTexts } from './texts.js';

/** Every page of the installation. */
export function Pages() {
  const texts = useTexts(installationTexts);
  const format = useFormat();
  const list = useList<ManagedPage>('/api/v1/pages');
  const columns = useMemo(() => columnsOf(texts, format), [texts, format]);
  return (
    <Panel
      title={texts.pages}
      flush
      actions={
        <a class="button small" href={`${accountPaths.home}?new=page`}>
          {texts.newPage}
        </a>
      }
    >
      <ReadView
        read={list.read}
        skeleton={<Skeleton lines={5} />}
        isEmpty={({ items }) => items.length === 0}
        empty={
          <Empty title={texts.noPages}>
            <p>{texts.noPagesWhy}</p>
          </Empty>
        }
      >
        {({ items }) => (
          <DataTable
            addressKey="pages"
            name={texts.pages}
            rows={items}
            columns={columns}
            keyOf={({ id }) => id}
            sorting={{ key: 'page', isDescending: false }}
            actions={<Paging onNewest={list.onNewest} onOlder={list.onOlder} />}
          />
        )}
      </ReadView>
    </Panel>
  );
}

function columnsOf(texts: InstallationTexts, format: Format): Column<ManagedPage>[] {
  return [
    {
      key: 'page',
      title: texts.page,
      value: ({ name }) => name,
      cell: ({ name, slug }) => (
        <a href={pathOfScreen(slug, 'overview')} dir="auto">
          {name}
        </a>
      ),
    },
    {
      key: 'host',
      title: texts.host,
      value: ({ hostname }) => hostname,
      cell: ({ hostname, url }) => (
        <a href={url} class="host-link" title={texts.opens} target="_blank" rel="noreferrer">
          {hostname}
          <Icon name="external" />
        </a>
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
  ];
}

import { useMemo } from 'preact/hooks';
import type { ManagedPage } from '../../../../contract/manage/pages.js';
import { accountPaths } from '../../../account/manage-paths.js';
import { type Format, useFormat } from '../../format.js';
import { Icon } from '../../kit/icons.js';
import { ResourceList } from '../../kit/resource-list.js';
import { type Column, timeColumn } from '../../kit/table/column.js';
import { searchedPart, useList } from '../../reads/use-list.js';
import { pathOfScreen } from '../../shell/screens.js';
import { useTexts } from '../../texts.js';
import { type InstallationTexts, installationTexts } from './texts.js';

/** Every page of the installation. */
export function Pages() {
  const texts = useTexts(installationTexts);
  const format = useFormat();
  const list = useList<ManagedPage>('/api/v1/pages', searchedPart);
  const columns = useMemo(() => columnsOf(texts, format), [texts, format]);
  return (
    <ResourceList
      {...{ list, columns, title: texts.pages }}
      addressKey="pages"
      keyOf={({ id }) => id}
      sorting={{ key: 'page', isDescending: false }}
      actions={
        <a class="button small" href={`${accountPaths.home}?new=page`}>
          {texts.newPage}
        </a>
      }
      empty={{ title: texts.noPages, why: texts.noPagesWhy }}
    />
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
    timeColumn({
      key: 'created',
      title: texts.created,
      timeOf: ({ createdAt }) => createdAt,
      say: format.day,
    }),
  ];
}

import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ManagedPage } from '../../../../contract/manage/pages.js';
import type { Me } from '../../../../contract/manage/session.js';
import { FilterField } from '../../kit/filter-field.js';
import { Icon } from '../../kit/icons.js';
import { Empty } from '../../kit/states.js';
import { useRead } from '../../reads/use-read.js';
import { Screen } from '../../shell/screen.js';
import { newPagePath, pathOfScreen } from '../../shell/screens.js';
import { useSession } from '../../shell/session.js';
import { useTexts } from '../../texts.js';
import { NewPage } from './new-page.js';
import { pagesTexts } from './texts.js';

type ListedPage = Me['pages'][number];

/** From so many pages on, people look for one by its name. */
const searchedFrom = 6;

/** Where somebody with several pages begins; somebody with one goes on to it. */
export default function Pages() {
  const { me, loadPages } = useSession();
  const { route, query } = useLocation();
  const texts = useTexts(pagesTexts);
  const [only, second] = me.pages;
  const isNew = me.admin && query['new'] === 'page';
  const goesOn = only !== undefined && second === undefined && query['all'] === undefined && !isNew;
  useEffect(() => {
    if (goesOn) route(pathOfScreen(only.slug, 'overview'), true);
  }, [goesOn]);
  useEffect(loadPages, []);
  if (goesOn) return null;
  return (
    <Screen
      title={texts.title}
      actions={
        me.admin &&
        me.pages.length > 0 &&
        !isNew && (
          <a class="button" href={newPagePath}>
            {texts.newPage}
          </a>
        )
      }
    >
      {isNew || (me.admin && me.pages.length === 0) ? (
        <NewPage />
      ) : me.pages.length === 0 ? (
        <Empty title={texts.none} level={2}>
          <p>{texts.noneWhy}</p>
        </Empty>
      ) : (
        <PageList pages={me.pages} />
      )}
    </Screen>
  );
}

function PageList({ pages }: { pages: readonly ListedPage[] }) {
  const texts = useTexts(pagesTexts);
  const [find, setFind] = useState('');
  const urls = useUrls();
  const found = pages.filter(({ name, slug }) =>
    `${name}\n${slug}`.toLowerCase().includes(find.trim().toLowerCase()),
  );
  return (
    <>
      {pages.length >= searchedFrom && (
        <FilterField label={texts.find} value={find} onChange={setFind} isWide />
      )}
      {found.length === 0 ? (
        <p class="note" role="status">
          {texts.noMatch}
        </p>
      ) : (
        <ul class="page-list">
          {found.map((page) => (
            <PageLine key={page.slug} page={page} url={urls.get(page.slug)} />
          ))}
        </ul>
      )}
    </>
  );
}

function PageLine({ page: { slug, name, role }, url }: { page: ListedPage; url: string | undefined }) {
  const texts = useTexts(pagesTexts);
  return (
    <li>
      <span class="initial" aria-hidden="true">
        {[...name.trim()].at(0)?.toUpperCase()}
      </span>
      <span class="page-name">
        <a href={pathOfScreen(slug, 'overview')} dir="auto">
          {name}
        </a>
        <span class="note">{slug}</span>
      </span>
      <span class="note page-role">{texts.roles[role ?? 'none']}</span>
      {url !== undefined && (
        <a class="page-public" href={url} target="_blank" rel="noreferrer">
          <span>{new URL(url).host}</span>
          <Icon name="external" />
          <span class="visually-hidden">{texts.opens(name)}</span>
        </a>
      )}
    </li>
  );
}

/** The addresses of the public pages. The list does without them while they load, and when they cannot be read. */
function useUrls(): ReadonlyMap<string, string> {
  const { data } = useRead<{ items: readonly Pick<ManagedPage, 'slug' | 'url'>[] }>(
    '/api/v1/pages?limit=200',
  );
  return new Map((data?.items ?? []).map(({ slug, url }) => [slug, url]));
}

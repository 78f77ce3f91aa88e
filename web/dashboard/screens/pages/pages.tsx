import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ListedPage as PageItem } from '../../../../contract/manage/pages.js';
import type { Me } from '../../../../contract/manage/session.js';
import type { PublicState } from '../../../../contract/public/service-states.js';
import { Badge, type Tone } from '../../kit/badge.js';
import { FilterField } from '../../kit/filter-field.js';
import { Icon } from '../../kit/icons.js';
import { Empty } from '../../kit/states.js';
import { useRead } from '../../reads/use-read.js';
import { useSession } from '../../session.js';
import { Screen } from '../../shell/screen.js';
import { newPagePath, pathOfScreen } from '../../shell/screens.js';
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
  const items = useItems();
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
            <PageLine key={page.slug} page={page} item={items.get(page.slug)} />
          ))}
        </ul>
      )}
    </>
  );
}

type LineProps = { page: ListedPage; item: PageItem | undefined };

function PageLine({ page: { slug, name, role }, item }: LineProps) {
  const texts = useTexts(pagesTexts);
  const { url, standing } = item ?? {};
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
      {standing !== undefined && <Standing standing={standing} />}
      <span class="note page-role">{texts.roles[role ?? 'none']}</span>
      {url !== undefined && (
        <a class="page-public" href={url} target="_blank" rel="noreferrer">
          <span>{new URL(url).host}</span>
          <Icon name="external" />
          <span class="visually-hidden">{texts.opens({ name })}</span>
        </a>
      )}
    </li>
  );
}

const tones: Readonly<Record<PublicState, Tone>> = {
  ...{ operational: 'good', degraded: 'warn', partial_outage: 'warn', major_outage: 'bad' },
  ...{ maintenance: 'info', unknown: 'none' },
};

/** The state of a page in words, and how many incidents are open. */
function Standing({ standing }: { standing: NonNullable<PageItem['standing']> }) {
  const texts = useTexts(pagesTexts);
  const { state, affected, services, openIncidents } = standing;
  const word = texts.states[state];
  const isSome = affected > 0 && affected < services && (state.endsWith('_outage') || state === 'degraded');
  return (
    <span class="page-standing">
      <Badge tone={tones[state]}>
        {isSome ? texts.someOf({ count: affected, total: services, word }) : word}
      </Badge>
      {openIncidents > 0 && <span class="note">{texts.openIncidents({ count: openIncidents })}</span>}
    </span>
  );
}

const pollMs = 30_000;

/** How the pages stand and their public addresses; the list does without while they load, and when they cannot be read. */
function useItems(): ReadonlyMap<string, PageItem> {
  const { data } = useRead<{ items: readonly PageItem[] }>('/api/v1/pages?include=standing&limit=200', {
    everyMs: pollMs,
  });
  return new Map((data?.items ?? []).map((item) => [item.slug, item]));
}

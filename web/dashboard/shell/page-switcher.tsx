import { useEffect, useState } from 'preact/hooks';
import { accountPaths } from '../../account/manage-paths.js';
import { useAddress } from '../address/use-address.js';
import { FilterField } from '../kit/filter-field.js';
import { Icon, Initial } from '../kit/icons.js';
import { Menu } from '../kit/menu.js';
import { useSession } from '../session.js';
import { useTexts } from '../texts.js';
import { pathOfScreen, type ScreenName } from './screens.js';
import { shellTexts } from './texts.js';

type Props = { slug: string | undefined; screen: ScreenName | undefined };

/** With more pages a field finds one of them. */
const findMin = 8;
const shownMax = 50;

/** Goes to another page, and to the same screen there. */
export function PageSwitcher({ slug, screen = 'overview' }: Props) {
  const { me } = useSession();
  const { to } = useAddress();
  const texts = useTexts(shellTexts);
  const [find, setFind] = useState('');
  const current = me.pages.find((page) => page.slug === slug);
  const wanted = find.toLowerCase();
  const found = me.pages.filter((page) => `${page.name}\n${page.slug}`.toLowerCase().includes(wanted));
  return (
    <Menu
      label={current === undefined ? texts.choosePage : `${texts.choosePage}: ${current.name}`}
      class="page-switcher"
      button={
        <>
          <Initial name={current?.name ?? '…'} />
          <span class="page-name" dir="auto">
            {current?.name ?? texts.choosePage}
          </span>
          <Icon name="chevron" />
        </>
      }
    >
      {(close) => (
        // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the links inside work by keyboard.
        <div onClick={({ target }) => target instanceof HTMLAnchorElement && close()}>
          <LoadPages />
          {me.pages.length >= findMin && (
            <FilterField label={texts.findPage} value={find} onChange={setFind} />
          )}
          <ul class="menu-list">
            {found.slice(0, shownMax).map((page) => (
              <li key={page.slug}>
                <a
                  href={to(pathOfScreen(page.slug, screen))}
                  dir="auto"
                  {...(page.slug === slug && { 'aria-current': 'true' as const })}
                >
                  {page.name}
                </a>
              </li>
            ))}
          </ul>
          <a class="menu-foot" href={`${accountPaths.home}?all=yes`}>
            {texts.allPages}
          </a>
        </div>
      )}
    </Menu>
  );
}

/** Somebody looks for a page: the ones that the document left out come now. */
function LoadPages() {
  const { loadPages } = useSession();
  useEffect(loadPages, []);
  return null;
}

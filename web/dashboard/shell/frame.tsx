import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { accountPaths, dashboardPaths } from '../../account/manage-paths.js';
import { useAddress } from '../address/use-address.js';
import { Icon, type IconName } from '../kit/icons.js';
import { Notices } from '../kit/notice.js';
import { useMay, useSession } from '../session.js';
import { useTexts } from '../texts.js';
import { PageSwitcher } from './page-switcher.js';
import { Palette } from './palette/palette.js';
import { pathOfScreen, placeOf, screenGroups, screensOf } from './screens.js';
import { ShortcutList } from './shortcut-list.js';
import { shellTexts } from './texts.js';
import { useLostFocus } from './use-lost-focus.js';
import { isMac, useShortcuts } from './use-shortcuts.js';
import { UserMenu } from './user-menu.js';

type Open = 'palette' | 'shortcuts' | undefined;

/** The navigation around every screen, the palette, and the keys that work everywhere. */
export function Frame({ children }: { children: ComponentChildren }) {
  const texts = useTexts(shellTexts);
  const [open, setOpen] = useState<Open>();
  const [isNavigationOpen, setNavigationOpen] = useState(false);
  const { path } = useLocation();
  const place = placeOf(path);
  const { loadPages } = useSession();
  useEffect(() => {
    if (open === 'palette') loadPages();
  }, [open]);
  useLostFocus();
  useShortcuts({ slug: place.slug, open: setOpen });
  const navigationToggle = useRef<HTMLButtonElement>(null);
  const close = () => setOpen(undefined);
  const openPalette = (): void => {
    // On a small screen the button hides with the navigation; the dialog gives the focus back to where it was.
    if (isNavigationOpen) navigationToggle.current?.focus();
    setOpen('palette');
  };
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {texts.skip}
      </a>
      <header class={isNavigationOpen ? 'side open' : 'side'}>
        <div class="side-head">
          <a class="product" href={accountPaths.home}>
            <ProductMark />
            {texts.product}
          </a>
          <button
            type="button"
            class="icon-button side-toggle"
            ref={navigationToggle}
            aria-label={texts.openNavigation}
            aria-expanded={isNavigationOpen}
            onClick={() => setNavigationOpen(!isNavigationOpen)}
          >
            <Icon name={isNavigationOpen ? 'close' : 'menu'} />
          </button>
        </div>
        {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: a link inside closes it. */}
        <div class="side-body" onClick={() => setNavigationOpen(false)}>
          <PageSwitcher slug={place.slug} screen={place.screen} />
          <button type="button" class="search-button" onClick={openPalette}>
            <Icon name="search" />
            <span>{texts.search}</span>
            <kbd>{isMac() ? '⌘K' : 'Ctrl K'}</kbd>
          </button>
          <Navigation slug={place.slug} path={path} />
        </div>
        <UserMenu onShortcuts={() => setOpen('shortcuts')} />
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <Notices undoTitle={texts.undo} />
      {open === 'palette' && <Palette slug={place.slug} onClose={close} />}
      {open === 'shortcuts' && <ShortcutList slug={place.slug} onClose={close} />}
    </div>
  );
}

function Navigation({ slug, path }: { slug: string | undefined; path: string }) {
  const texts = useTexts(shellTexts);
  const { me } = useSession();
  return (
    <nav aria-label={texts.navigation}>
      {slug !== undefined && <ScreenItems slug={slug} path={path} />}
      <ul>
        {slug === undefined && <Item href={accountPaths.home} path={path} icon="table" title={texts.pages} />}
        {me.admin && (
          <Item
            href={dashboardPaths.installation}
            path={path}
            icon="installation"
            title={texts.installation}
          />
        )}
      </ul>
    </nav>
  );
}

/** The screens of a page that the person may open, in groups. */
function ScreenItems({ slug, path }: { slug: string; path: string }) {
  const texts = useTexts(shellTexts);
  const open = screensOf(useMay(slug));
  return (
    <>
      {screenGroups.map((group) => {
        const items = open.filter((screen) => screen.group === group);
        if (items.length === 0) return null;
        return (
          <section key={group} class="side-group" aria-label={texts.screenGroups[group]}>
            <p aria-hidden="true">{texts.screenGroups[group]}</p>
            <ul>
              {items.map(({ name, icon }) => (
                <Item
                  key={name}
                  href={pathOfScreen(slug, name)}
                  path={path}
                  icon={icon}
                  title={texts.screens[name]}
                />
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}

type ItemProps = { href: string; path: string; icon: IconName; title: string };

/** The range goes along to the next screen. */
function Item({ href, path, icon, title }: ItemProps) {
  const { to } = useAddress();
  return (
    <li>
      <a href={to(href)} {...(href === path && { 'aria-current': 'page' as const })}>
        <Icon name={icon} />
        {title}
      </a>
    </li>
  );
}

function ProductMark() {
  return (
    <svg class="product-mark" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M4 12.5h3.5l2.2-5 4 9.5 2.3-4.5H20" />
    </svg>
  );
}

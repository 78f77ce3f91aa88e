import { useMemo } from 'preact/hooks';
import { accountPaths, dashboardPaths } from '../../../account/paths.js';
import { presetsSeconds, rangeUpToNow } from '../../address/range.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { languages, useTexts } from '../../texts.js';
import { pathOfScreen, screensOf } from '../screens.js';
import { useMay, useSession } from '../session.js';
import { shellTexts } from '../texts.js';
import { themes, useTheme } from '../theme.js';
import { useCopyLink } from '../use-copy-link.js';
import { languageNames, useLanguage } from '../use-language.js';
import type { Command } from './commands.js';
import { usePageCommands } from './use-page-commands.js';

type ShellTexts = (typeof shellTexts)['en'];

/** Everything that the palette can go to or do from here, in the order in which it offers it. */
export function useCommands(slug: string | undefined, search: string): readonly Command[] {
  const texts = useTexts(shellTexts);
  const ofPage = usePageCommands(slug, search);
  const ofScreens = useScreenCommands(slug);
  const actions = useActions();
  const ofNews = useNewActions(slug);
  const ranges = useRanges(texts);
  return useMemo(
    () => [...ofScreens, ...ofNews, ...(slug === undefined ? [] : ranges), ...actions, ...ofPage],
    [slug, ofPage, ofScreens, ofNews, actions, ranges],
  );
}

function useScreenCommands(slug: string | undefined): readonly Command[] {
  const texts = useTexts(shellTexts);
  const { me } = useSession();
  const { to } = useAddress();
  const may = useMay(slug);
  return useMemo(() => {
    const ofPage = screensOf(may).map(
      ({ name, icon, letter }): Command => ({
        ...{ id: `screen ${name}`, kind: 'screen', title: texts.screens[name], icon, keys: ['g', letter] },
        href: to(pathOfScreen(slug ?? '', name)),
      }),
    );
    const pages = me.pages
      .filter((page) => page.slug !== slug)
      .map(
        (page): Command => ({
          ...{ id: `page ${page.slug}`, kind: 'page', title: page.name, detail: page.slug, icon: 'table' },
          href: pathOfScreen(page.slug, 'overview'),
        }),
      );
    const others: Command[] = [
      { ...screen('pages', texts.allPages), icon: 'table', href: `${accountPaths.home}?all=yes` },
      { ...screen('account', texts.account), icon: 'account', href: dashboardPaths.account },
      ...(me.admin
        ? [
            {
              ...screen('installation', texts.installation),
              ...({ icon: 'installation', href: dashboardPaths.installation } as const),
            },
          ]
        : []),
    ];
    return [...(slug === undefined ? [] : ofPage), ...pages, ...others];
  }, [slug, me, may, texts]);
}

function screen(name: string, title: string): Pick<Command, 'id' | 'kind' | 'title'> {
  return { id: `screen ${name}`, kind: 'screen', title };
}

function action(name: string, title: string, run: () => void): Command {
  return { id: `action ${name}`, kind: 'action', title, run };
}

/** What the person may begin on the page; first what somebody at three in the morning came for. */
function useNewActions(slug: string | undefined): readonly Command[] {
  const texts = useTexts(shellTexts);
  const may = useMay(slug);
  if (slug === undefined) return [];
  const begin = (screen: 'incidents' | 'monitors', kind: string, title: string): Command => ({
    ...({ id: `action new ${kind}`, kind: 'action', title, icon: screen } as const),
    href: `${pathOfScreen(slug, screen)}?new=${kind}`,
  });
  return [
    ...(may('incidents.write')
      ? [
          begin('incidents', 'incident', texts.openIncident),
          begin('incidents', 'maintenance', texts.planMaintenance),
        ]
      : []),
    ...(may('monitors.write') ? [begin('monitors', 'http', texts.addMonitor)] : []),
  ];
}

function useRanges(texts: ShellTexts): readonly Command[] {
  const { choose } = useAddress();
  const format = useFormat();
  return presetsSeconds.map((seconds): Command => {
    const title = `${texts.range.label}: ${texts.range.lastOf(format.span(seconds))}`;
    return { ...action(`range ${seconds}`, title, () => choose(rangeUpToNow(seconds))), icon: 'clock' };
  });
}

function useActions(): readonly Command[] {
  const texts = useTexts(shellTexts);
  const copyLink = useCopyLink();
  const [, chooseTheme] = useTheme();
  const chooseLanguage = useLanguage();
  return [
    {
      ...action(
        'copy relative',
        `${texts.copyLink}, ${texts.copyLinkRelative}`,
        () => void copyLink('relative'),
      ),
      icon: 'link',
    },
    {
      ...action(
        'copy absolute',
        `${texts.copyLink}, ${texts.copyLinkAbsolute}`,
        () => void copyLink('absolute'),
      ),
      icon: 'link',
    },
    ...themes.map((theme): Command => {
      const title = `${texts.theme}: ${texts.themes[theme]}`;
      return { ...action(`theme ${theme}`, title, () => chooseTheme(theme)), icon: 'sun' };
    }),
    ...languages.map((language) =>
      action(`language ${language}`, `${texts.language}: ${languageNames[language]}`, () =>
        chooseLanguage(language),
      ),
    ),
    { ...action('sign out', texts.signOut, signOut), icon: 'out' },
  ];
}

/** Only a form sends the request that the sign-out takes. */
function signOut(): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = accountPaths.signOut;
  document.body.append(form);
  form.submit();
}

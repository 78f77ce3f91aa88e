import { useContext, useMemo } from 'preact/hooks';
import { accountPaths, dashboardPaths } from '../../../account/manage-paths.js';
import { presetsSeconds, rangeUpToNow } from '../../address/range.js';
import { useAddress } from '../../address/use-address.js';
import { type Format, makeFormat } from '../../format.js';
import { forgetPersonal } from '../../kit/kept.js';
import { useMay, useSession } from '../../session.js';
import { type Language, LanguageContext, languages } from '../../texts.js';
import { pathOfScreen, screensOf } from '../screens.js';
import { shellTexts } from '../texts.js';
import { themes, useTheme } from '../theme.js';
import { useCopyLink } from '../use-copy-link.js';
import { languageNames, useLanguage } from '../use-language.js';
import type { Command } from './commands.js';
import { usePageCommands } from './use-page-commands.js';

type ShellTexts = (typeof shellTexts)['en'];

/** Everything that the palette can go to or do from here, in the order in which it offers it. */
export function useCommands(slug: string | undefined, search: string): readonly Command[] {
  const ofPage = usePageCommands(slug, search);
  const ofScreens = useScreenCommands(slug);
  const actions = useActions();
  const ofNews = useNewActions(slug);
  const ranges = useRanges();
  return useMemo(
    () => [...ofScreens, ...ofNews, ...(slug === undefined ? [] : ranges), ...actions, ...ofPage],
    [slug, ofPage, ofScreens, ofNews, actions, ranges],
  );
}

type Titles = Pick<Command, 'title' | 'otherTitles'>;
type GetTitle = (texts: ShellTexts, format: Format) => string;

/** Every language makes its formats once: a palette that is open draws with each key. */
const formats = new Map<Language, Format>();

function formatOf(language: Language): Format {
  const format = formats.get(language) ?? makeFormat(language);
  formats.set(language, format);
  return format;
}

/** Returns what makes the title of a command in the language of the screen, and in the others. */
function useTitles(): (get: GetTitle) => Titles {
  const shown = useContext(LanguageContext);
  return useMemo(() => {
    const titleIn = (language: Language, get: GetTitle) => get(shellTexts[language], formatOf(language));
    const others = languages.filter((language) => language !== shown);
    return (get) => ({
      title: titleIn(shown, get),
      otherTitles: others.map((language) => titleIn(language, get)),
    });
  }, [shown]);
}

function useScreenCommands(slug: string | undefined): readonly Command[] {
  const titles = useTitles();
  const { me } = useSession();
  const { to } = useAddress();
  const may = useMay(slug);
  return useMemo(() => {
    const ofPage = screensOf(may).map(
      ({ name, icon, letter }): Command => ({
        ...{ id: `screen ${name}`, kind: 'screen', icon, keys: ['g', letter] },
        ...titles(({ screens }) => screens[name]),
        href: to(pathOfScreen(slug ?? '', name)),
      }),
    );
    const calendar: Command = {
      ...screen(
        'calendar',
        titles(({ calendar }) => calendar),
      ),
      icon: 'clock',
      href: `${pathOfScreen(slug ?? '', 'incidents')}?view=calendar`,
    };
    const pages = me.pages
      .filter((page) => page.slug !== slug)
      .map(
        (page): Command => ({
          ...{ id: `page ${page.slug}`, kind: 'page', title: page.name, detail: page.slug, icon: 'table' },
          href: pathOfScreen(page.slug, 'overview'),
        }),
      );
    const others: Command[] = [
      {
        ...screen(
          'pages',
          titles(({ allPages }) => allPages),
        ),
        icon: 'table',
        href: `${accountPaths.home}?all=yes`,
      },
      {
        ...screen(
          'account',
          titles(({ account }) => account),
        ),
        icon: 'account',
        href: dashboardPaths.account,
      },
      ...(me.admin
        ? [
            {
              ...screen(
                'installation',
                titles(({ installation }) => installation),
              ),
              ...({ icon: 'installation', href: dashboardPaths.installation } as const),
            },
          ]
        : []),
    ];
    return [
      ...(slug === undefined ? [] : [...ofPage, ...(may('telemetry.read') ? [calendar] : [])]),
      ...pages,
      ...others,
    ];
  }, [slug, me, may, titles]);
}

function screen(name: string, titles: Titles): Pick<Command, 'id' | 'kind'> & Titles {
  return { id: `screen ${name}`, kind: 'screen', ...titles };
}

function action(name: string, titles: Titles, run: () => void): Command {
  return { id: `action ${name}`, kind: 'action', ...titles, run };
}

/** Actions that the person may begin on the page, the most urgent one at three in the morning first. */
function useNewActions(slug: string | undefined): readonly Command[] {
  const titles = useTitles();
  const may = useMay(slug);
  if (slug === undefined) return [];
  const begin = (screen: 'incidents' | 'monitors' | 'boards', kind: string, get: GetTitle): Command => ({
    ...({ id: `action new ${kind}`, kind: 'action', icon: screen } as const),
    ...titles(get),
    href: `${pathOfScreen(slug, screen)}?new=${kind}`,
  });
  return [
    ...(may('incidents.write')
      ? [
          begin('incidents', 'incident', ({ openIncident }) => openIncident),
          begin('incidents', 'maintenance', ({ planMaintenance }) => planMaintenance),
        ]
      : []),
    ...(may('monitors.write') ? [begin('monitors', 'http', ({ addMonitor }) => addMonitor)] : []),
    ...(may('page.write') ? [begin('boards', 'board', ({ addBoard }) => addBoard)] : []),
  ];
}

function useRanges(): readonly Command[] {
  const { choose } = useAddress();
  const titles = useTitles();
  return presetsSeconds.map((seconds): Command => {
    const named = titles(
      ({ range }, format) => `${range.label}: ${range.lastOf({ span: format.span(seconds) })}`,
    );
    return { ...action(`range ${seconds}`, named, () => choose(rangeUpToNow(seconds))), icon: 'clock' };
  });
}

function useActions(): readonly Command[] {
  const titles = useTitles();
  const { me } = useSession();
  const copyLink = useCopyLink();
  const [, chooseTheme] = useTheme();
  const chooseLanguage = useLanguage();
  return [
    {
      ...action(
        'copy relative',
        titles(({ copyLink, copyLinkRelative }) => `${copyLink}, ${copyLinkRelative}`),
        () => void copyLink('relative'),
      ),
      icon: 'link',
    },
    {
      ...action(
        'copy absolute',
        titles(({ copyLink, copyLinkAbsolute }) => `${copyLink}, ${copyLinkAbsolute}`),
        () => void copyLink('absolute'),
      ),
      icon: 'link',
    },
    ...themes.map((theme): Command => {
      const named = titles((texts) => `${texts.theme}: ${texts.themes[theme]}`);
      return { ...action(`theme ${theme}`, named, () => chooseTheme(theme)), icon: 'sun' };
    }),
    ...languages.map((language) =>
      action(
        `language ${language}`,
        titles((texts) => `${texts.language}: ${languageNames[language]}`),
        () => chooseLanguage(language),
      ),
    ),
    {
      ...action(
        'sign out',
        titles((texts) => texts.signOut),
        () => signOut(me.caller.id),
      ),
      icon: 'out',
    },
  ];
}

/** Only a form sends the request that the sign-out takes. */
function signOut(userId: string): void {
  forgetPersonal(userId);
  const form = document.createElement('form');
  form.method = 'post';
  form.action = accountPaths.signOut;
  document.body.append(form);
  form.submit();
}

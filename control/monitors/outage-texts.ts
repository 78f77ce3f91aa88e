import { inLanguage } from '../../lib/locale/language.js';

/** The texts of an incident that a monitor opens; functions take the name of the service. */
export type OutageTexts = {
  title: (name: string) => string;
  summary: (name: string) => string;
  resolved: (name: string) => string;
  /** The monitor was deleted, paused or hidden before the service was up again. */
  ended: (name: string) => string;
  /** The same of a service whose name visitors may not see. */
  unnamed: Readonly<Record<NamedText, string>>;
};

const namedTexts = ['title', 'summary', 'resolved', 'ended'] as const;
type NamedText = (typeof namedTexts)[number];

/** Returns the texts in a language or its base (`de` for `de-AT`), else in English. */
export const outageTexts = (language: string): OutageTexts => inLanguage<OutageTexts>(texts, language);

const texts = {
  en: {
    title: (name) => `${name} is down`,
    summary: (name) => `Checks of ${name} have been failing.`,
    resolved: (name) => `${name} is up again.`,
    ended: (name) => `${name} is no longer watched.`,
    unnamed: {
      title: 'A service is down',
      summary: 'Checks of a service have been failing.',
      resolved: 'The service is up again.',
      ended: 'The service is no longer watched.',
    },
  },
  de: {
    title: (name) => `${name} ist ausgefallen`,
    summary: (name) => `Prüfungen von ${name} schlagen fehl.`,
    resolved: (name) => `${name} funktioniert wieder.`,
    ended: (name) => `${name} wird nicht mehr überwacht.`,
    unnamed: {
      title: 'Ein Dienst ist ausgefallen',
      summary: 'Prüfungen eines Dienstes schlagen fehl.',
      resolved: 'Der Dienst funktioniert wieder.',
      ended: 'Der Dienst wird nicht mehr überwacht.',
    },
  },
  fr: {
    title: (name) => `${name} est en panne`,
    summary: (name) => `Les vérifications de ${name} échouent.`,
    resolved: (name) => `${name} fonctionne à nouveau.`,
    ended: (name) => `${name} n’est plus surveillé.`,
    unnamed: {
      title: 'Un service est en panne',
      summary: 'Les vérifications d’un service échouent.',
      resolved: 'Le service fonctionne à nouveau.',
      ended: 'Le service n’est plus surveillé.',
    },
  },
  es: {
    title: (name) => `${name} no funciona`,
    summary: (name) => `Las comprobaciones de ${name} están fallando.`,
    resolved: (name) => `${name} vuelve a funcionar.`,
    ended: (name) => `${name} ya no se supervisa.`,
    unnamed: {
      title: 'Un servicio no funciona',
      summary: 'Las comprobaciones de un servicio están fallando.',
      resolved: 'El servicio vuelve a funcionar.',
      ended: 'El servicio ya no se supervisa.',
    },
  },
  ja: {
    title: (name) => `${name} が停止しています`,
    summary: (name) => `${name} の監視チェックが失敗しています。`,
    resolved: (name) => `${name} は復旧しました。`,
    ended: (name) => `${name} は監視対象から外れました。`,
    unnamed: {
      title: 'サービスが停止しています',
      summary: 'サービスの監視チェックが失敗しています。',
      resolved: 'サービスは復旧しました。',
      ended: 'サービスは監視対象から外れました。',
    },
  },
} satisfies Record<string, OutageTexts>;

/** Stands for the name while the text around it is taken from a template; no name has it. */
const mark = '\u0000';

const templates = Object.values<OutageTexts>(texts).flatMap((each) =>
  namedTexts.map((of) => {
    const [before = '', after = ''] = each[of](mark).split(mark);
    return { before, after, unnamed: each.unnamed[of] };
  }),
);

/**
 * Returns a text of an incident that a monitor opened without the name of the service, which may have had another one, on
 * a page that may have had another default language. Any other text stays as it is.
 */
export function withoutName(text: string): string {
  const known = templates.some(({ unnamed }) => unnamed === text);
  const template = templates.find(({ before, after }) => text.startsWith(before) && text.endsWith(after));
  return known || template === undefined ? text : template.unnamed;
}

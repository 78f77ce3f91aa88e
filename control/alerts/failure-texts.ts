import { matchLanguage } from '../../lib/locale/language.js';
import type { FailureCounts } from './preview-alert-rule.js';

/** The texts of an incident that an alert rule opens. They are public, so they hold no number of requests. */
export type FailureTexts = { title: string; summary: string; resolved: string };

type Measured = { counts: FailureCounts; windowSeconds: number };

/**
 * The texts in a language or its base (`de` for `de-AT`). Returns `undefined` for a language that has none.
 *
 * @param measured the window, in which at least one request failed
 */
export function findFailureTexts(language: string, measured: Measured): FailureTexts | undefined {
  const known = matchLanguage(language, Object.keys(languages));
  const texts = known === undefined ? undefined : languages[known];
  return texts && describe(texts, measured);
}

/** As findFailureTexts(), and English for a language that has none. */
export function failureTexts(language: string, measured: Measured): FailureTexts {
  return findFailureTexts(language, measured) ?? describe(english, measured);
}

function describe(texts: Language, { counts, windowSeconds }: Measured): FailureTexts {
  return { ...texts, summary: texts.summary(shareOf(counts), windowSeconds / 60) };
}

/** The share of requests that failed: a whole percentage of 1 to 99, or what is beyond these. */
type Share = 'all' | 'below 1' | number;

function shareOf({ requests, errors }: FailureCounts): Share {
  if (errors === requests) return 'all';
  const percent = (100 * errors) / requests;
  return percent < 1 ? 'below 1' : Math.min(99, Math.round(percent));
}

type Language = Omit<FailureTexts, 'summary'> & { summary(share: Share, minutes: number): string };

const english: Language = {
  title: 'Elevated error rate',
  summary(share, minutes) {
    const during = minutes === 1 ? 'the last minute' : `the last ${minutes} minutes`;
    if (share === 'all') return `All requests failed in ${during}.`;
    return `${share === 'below 1' ? 'Less than 1 %' : `About ${share} %`} of requests failed in ${during}.`;
  },
  resolved: 'The error rate is back to normal.',
};

const german: Language = {
  title: 'Erhöhte Fehlerrate',
  summary(share, minutes) {
    const during = minutes === 1 ? 'der letzten Minute' : `den letzten ${minutes} Minuten`;
    if (share === 'all') return `In ${during} sind alle Anfragen fehlgeschlagen.`;
    const part = share === 'below 1' ? 'weniger als 1 %' : `etwa ${share} %`;
    return `In ${during} sind ${part} der Anfragen fehlgeschlagen.`;
  },
  resolved: 'Die Fehlerrate ist wieder normal.',
};

const french: Language = {
  title: 'Taux d’erreurs élevé',
  summary(share, minutes) {
    const during = minutes === 1 ? 'de la dernière minute' : `des ${minutes} dernières minutes`;
    if (share === 'all') return `Toutes les requêtes ont échoué au cours ${during}.`;
    const part = share === 'below 1' ? 'Moins de 1 %' : `Environ ${share} %`;
    return `${part} des requêtes ont échoué au cours ${during}.`;
  },
  resolved: 'Le taux d’erreurs est revenu à la normale.',
};

const spanish: Language = {
  title: 'Tasa de errores elevada',
  summary(share, minutes) {
    const during = minutes === 1 ? 'el último minuto' : `los últimos ${minutes} minutos`;
    if (share === 'all') return `Todas las solicitudes han fallado en ${during}.`;
    const part = share === 'below 1' ? 'Menos del 1 %' : `Cerca del ${share} %`;
    return `${part} de las solicitudes ha fallado en ${during}.`;
  },
  resolved: 'La tasa de errores ha vuelto a la normalidad.',
};

const japanese: Language = {
  title: 'エラー率の上昇',
  summary(share, minutes) {
    const requests = `直近${minutes}分間のリクエスト`;
    if (share === 'all') return `${requests}がすべて失敗しました。`;
    return `${requests}の${share === 'below 1' ? '1%未満' : `約${share}%`}が失敗しました。`;
  },
  resolved: 'エラー率は通常に戻りました。',
};

const languages: Readonly<Record<string, Language>> = {
  ...{ en: english, de: german, fr: french, es: spanish, ja: japanese },
};

import type { IconName } from '../../kit/icons.js';

export type CommandKind =
  | 'screen'
  | 'page'
  | 'service'
  | 'endpoint'
  | 'monitor'
  | 'incident'
  | 'board'
  | 'action';

/** Something that the palette offers. */
export type Command = {
  /** Names it among the commands that somebody chose before. */
  id: string;
  /** The kind, beside the title. */
  kind: CommandKind;
  title: string;
  /** The title in the other languages, by which it is found as well: people mix languages, and read guides in another. */
  otherTitles?: readonly string[];
  /** The owner, such as the service of an endpoint; the search finds it as well. */
  detail?: string | undefined;
  icon?: IconName;
  /** The keys that do the same. */
  keys?: readonly string[];
  /** Where it goes; or what it does. */
  href?: string;
  run?(): void;
};

export type Found = {
  command: Command;
  /** Places of the letters in the title that the search has, ascending. */
  marks: readonly number[];
};

const shownMax = 40;
/** How much later a recent command counts than the one before it. */
const [recentBonus, recentStep] = [30, 5];
const kindBonus: Readonly<Partial<Record<CommandKind, number>>> = {
  screen: 15,
  incident: 10,
  page: 5,
  service: 5,
};

/**
 * Returns the commands whose title, in any language, and detail have every word of the search, in any case and with letters left out
 * (`chw` finds `checkout worker`); the best first. Without a search, all of them in their order.
 *
 * @param recent ids of the commands chosen last, the newest first
 */
export function findCommands(
  commands: readonly Command[],
  search: string,
  recent: readonly string[] = [],
): readonly Found[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return commands.slice(0, shownMax).map((command) => ({ command, marks: [] }));
  const bonusOf = new Map(recent.map((id, i) => [id, Math.max(0, recentBonus - i * recentStep)]));
  return commands
    .flatMap((command) => {
      const match = matchCommand(command, words);
      if (match === undefined) return [];
      const bonus = (bonusOf.get(command.id) ?? 0) + (kindBonus[command.kind] ?? 0);
      return [{ found: { command, marks: match.marks }, score: match.score + bonus }];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, shownMax)
    .map(({ found }) => found);
}

type Match = { score: number; marks: readonly number[] };

/** A title in another language is as good; none of its letters are drawn. */
function matchCommand(
  { title, otherTitles = [], detail = '' }: Command,
  words: readonly string[],
): Match | undefined {
  const shown = matchWords(title, detail, words);
  const others = otherTitles.flatMap((other) => matchWords(other, detail, words) ?? []);
  return others.reduce<Match | undefined>(
    (best, { score }) =>
      best === undefined || score > best.score ? { score, marks: best?.marks ?? [] } : best,
    shown,
  );
}

function matchWords(title: string, detail: string, words: readonly string[]): Match | undefined {
  const [name, other] = [title.toLowerCase(), detail.toLowerCase()];
  // Among equal matches, the shorter name is the nearer one.
  let score = -Math.min(20, name.length / 4);
  const marks = new Set<number>();
  for (const word of words) {
    const match = matchText(name, word) ?? matchDetail(other, word);
    if (match === undefined) return undefined;
    score += match.score;
    for (const mark of match.marks) marks.add(mark);
  }
  return { score, marks: [...marks].sort((a, b) => a - b) };
}

function matchDetail(detail: string, word: string): Match | undefined {
  return detail.includes(word) ? { score: 60, marks: [] } : undefined;
}

function matchText(text: string, word: string): Match | undefined {
  const at = bestIndexOf(text, word);
  if (at !== -1) {
    const start = at === 0 ? 80 : isWordStart(text, at) ? 50 : 0;
    return { score: 100 + start, marks: Array.from(word, (_, i) => at + i) };
  }
  return matchLetters(text, word);
}

/** Where the text has the word; the beginning of a word rather than the middle of one. */
function bestIndexOf(text: string, word: string): number {
  const first = text.indexOf(word);
  for (let at = first; at !== -1; at = text.indexOf(word, at + 1)) {
    if (isWordStart(text, at)) return at;
  }
  return first;
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1] ?? '');
}

/** Letters in their order, each behind the one before or at the beginning of a word: others are found by accident. */
function matchLetters(text: string, word: string): Match | undefined {
  if (word.length < 2) return undefined;
  const marks: number[] = [];
  for (const letter of word) {
    const before = marks.at(-1);
    const next =
      before !== undefined && text[before + 1] === letter ? before + 1 : nextStart(text, letter, before);
    if (next === undefined) return undefined;
    marks.push(next);
  }
  return { score: 40, marks };
}

function nextStart(text: string, letter: string, after = -1): number | undefined {
  for (let at = text.indexOf(letter, after + 1); at !== -1; at = text.indexOf(letter, at + 1)) {
    if (isWordStart(text, at)) return at;
  }
  return undefined;
}

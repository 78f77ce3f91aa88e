import type { Name, Source } from '../names/names.js';
import type { PageNames } from '../names/page-names.js';
import type { ReaderMemory } from './reader-memory.js';

/** Spellings of one page: a page that sends ever new ones must not take the place of the others. */
const spellingsOfPageMax = 4_096;

/** The kinds of spellings: the leftovers of `wasm/leftovers.ts` that stand for an unknown one. */
type Kind = number;

/**
 * The names that the reader knows by their bytes: it finds the number of a spelling, and the name of the number is here.
 * When there is no room for another spelling, all are forgotten before the next body, and learnt again.
 */
export class Spellings {
  /** By number. No name has the number 0. */
  readonly sources: (Source | undefined)[] = [undefined];
  readonly names: (Name | undefined)[] = [undefined];
  private readonly learntOfPage = new Map<number, number>();
  private isFull = false;

  constructor(private readonly memory: ReaderMemory) {}

  /** Call it before a body is read: the columns of a body hold numbers until its names are taken from them. */
  makeRoom(): void {
    if (!this.isFull) return;
    this.isFull = false;
    this.memory.emptyDictionary();
    this.sources.length = 1;
    this.names.length = 1;
    this.learntOfPage.clear();
  }

  /** Learns a spelling that lies in the body, without escapes. */
  learnSource(page: PageNames, kind: Kind, start: number, length: number, source: Source): void {
    if (this.learn(page, kind, start, length, this.sources.length)) this.sources.push(source);
  }

  learnName(page: PageNames, kind: Kind, start: number, length: number, name: Name): void {
    if (this.learn(page, kind, start, length, this.names.length)) this.names.push(name);
  }

  /** Returns whether the spelling is new and has the number now. */
  private learn(
    { spellingsKey }: PageNames,
    kind: Kind,
    start: number,
    length: number,
    number: number,
  ): boolean {
    const learnt = this.learntOfPage.get(spellingsKey) ?? 0;
    if (learnt >= spellingsOfPageMax || length > this.memory.spellingBytesMax) return false;
    const given = this.memory.addSpelling(spellingsKey, kind, start, length, number);
    if (given === 0) this.isFull = true;
    if (given !== number) return false;
    this.learntOfPage.set(spellingsKey, learnt + 1);
    return true;
  }
}

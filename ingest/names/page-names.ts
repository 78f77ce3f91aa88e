import { unassignedService } from '../../contract/limits.js';
import { normalizeMethod } from '../../lib/event-fields.js';
import type { PageId } from '../../lib/ids.js';
import { makeName, makeSource, type Name, type ReporterSource, type Source } from './names.js';

/** Distinct methods of one page. A client that sends more sends something else as the method. */
const methodsMax = 64;

let lastSpellingsKey = 0;

/**
 * The names of one page that this process knows to be registered. Keys are normalised texts. A raw text that is found
 * here needs no normalising, which is the usual case for a route template.
 */
export class PageNames {
  readonly endpoints = new Map<string, Name>();
  readonly services = new Map<string, Source>();
  readonly reporters = new Map<string, ReporterSource>();
  /** Not in the map: a service that calls itself "Unassigned" is stored as "unassigned". */
  readonly unassigned: Source;
  private readonly methods = new Map<string, Name>();
  /** Names of the page that the reader of bodies knows by their bytes have this key: no other page ever has it. */
  spellingsKey = nextSpellingsKey();

  constructor(readonly pageId: PageId) {
    this.unassigned = makeSource(pageId, 'service', unassignedService);
  }

  /** Returns `undefined` for a text that is no method, null when the page has its 64 methods already. */
  method(raw: string): Name | undefined | null {
    const known = this.methods.get(raw);
    if (known !== undefined) return known;
    const text = normalizeMethod(raw);
    if (text === undefined) return undefined;
    const normal = this.methods.get(text);
    if (normal !== undefined) return normal;
    if (this.methods.size >= methodsMax) return null;
    const name = makeName(text);
    this.methods.set(text, name);
    return name;
  }

  /** Removes names that the page no longer has, and all spellings, which are then learnt again. */
  forget(gone: Record<'endpoints' | 'services' | 'reporters', readonly string[]>): void {
    for (const text of gone.endpoints) this.endpoints.delete(text);
    for (const text of gone.services) this.services.delete(text);
    for (const text of gone.reporters) this.reporters.delete(text);
    if (gone.endpoints.length + gone.services.length > 0) this.spellingsKey = nextSpellingsKey();
  }

  /** Number of names, for the bound of the cache of pages. */
  get size(): number {
    return 1 + this.endpoints.size + this.services.size + this.reporters.size + this.methods.size;
  }
}

function nextSpellingsKey(): number {
  lastSpellingsKey = (lastSpellingsKey + 1) >>> 0;
  return lastSpellingsKey;
}

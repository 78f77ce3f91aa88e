import { unassignedService } from '../../contract/limits.js';
import { normalizeMethod } from '../../lib/event-fields.js';
import type { PageId } from '../../lib/ids.js';
import { ByteTable } from '../read/byte-table.js';
import { makeName, makeSource, type Name, type ReporterSource, type Source } from './names.js';

/** Distinct methods of one page. A client that sends more sends something else as the method. */
const methodsMax = 64;
const spellingsMax = 4096;

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
  /** The same names by the bytes that clients send, an entry for each spelling. */
  readonly endpointsByBytes = new ByteTable<Name>(spellingsMax);
  readonly servicesByBytes = new ByteTable<Source>(spellingsMax);
  readonly methodsByBytes = new ByteTable<Name>(methodsMax);

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
    if (gone.endpoints.length > 0) this.endpointsByBytes.clear();
    if (gone.services.length > 0) this.servicesByBytes.clear();
  }

  /** Number of names, for the bound of the cache of pages. */
  get size(): number {
    const spellings = this.endpointsByBytes.size + this.servicesByBytes.size + this.methodsByBytes.size;
    return 1 + this.endpoints.size + this.services.size + this.reporters.size + this.methods.size + spellings;
  }
}

import { unassignedService } from '../../contract/limits.js';
import type { PageId } from '../../lib/ids.js';
import { ByteTable } from '../read/byte-table.js';
import { normalizeMethod } from '../read/text-fields.js';
import { makeName, makeSource, type Name, type ReporterSource, type Source } from './names.js';

/** Distinct methods of one page; more are the mark of a client that sends something else as the method. */
const methodsMax = 64;
const spellingsMax = 4096;

/**
 * The names of one page that this process has seen registered. Keys are normalised texts, so a raw text that
 * is found here needs no further look: what a template usually is.
 */
export class PageNames {
  readonly endpoints = new Map<string, Name>();
  readonly services = new Map<string, Source>();
  readonly reporters = new Map<string, ReporterSource>();
  /** Outside the map: a service that calls itself "Unassigned" is filed under "unassigned". */
  readonly unassigned: Source;
  private readonly methods = new Map<string, Name>();
  /** The same names by the bytes that clients send for them, every spelling apart. */
  readonly endpointsByBytes = new ByteTable<Name>(spellingsMax);
  readonly servicesByBytes = new ByteTable<Source>(spellingsMax);
  readonly methodsByBytes = new ByteTable<Name>(methodsMax);

  constructor(readonly pageId: PageId) {
    this.unassigned = makeSource(pageId, 'service', unassignedService);
  }

  /** Undefined for what is no method, null when the page has its 64 already. */
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

  /** Names that the page no longer has. Spellings of them go with all the others, and are found again. */
  forget(gone: Record<'endpoints' | 'services' | 'reporters', readonly string[]>): void {
    for (const text of gone.endpoints) this.endpoints.delete(text);
    for (const text of gone.services) this.services.delete(text);
    for (const text of gone.reporters) this.reporters.delete(text);
    if (gone.endpoints.length > 0) this.endpointsByBytes.clear();
    if (gone.services.length > 0) this.servicesByBytes.clear();
  }

  /** Names held, for the bound of the cache that holds the pages. */
  get size(): number {
    const spellings = this.endpointsByBytes.size + this.servicesByBytes.size + this.methodsByBytes.size;
    return 1 + this.endpoints.size + this.services.size + this.reporters.size + this.methods.size + spellings;
  }
}

import { limits } from './event.js';

/** The endpoint of requests that no route has matched. */
export const unmatched = 'unmatched';
/** The endpoint of requests to further routes, when there are too many. */
const other = 'other';

/** A text as it stands in a batch: JSON, and its length in UTF-8. */
export type Encoded = { json: string; bytes: number };

/** Heartline takes 200 endpoints of a service in a batch; two of them are `unmatched` and `other`. */
const templatesMax = 198;
/** Methods of HTTP are some 40, and no server takes any word. */
const methodsMax = 50;
const method = /^[A-Za-z][A-Za-z-]{0,19}$/;

/** Remembers the names that a process reports, which are few, in the form in which they are sent. */
export class Names {
  readonly #templates = new Map<string, Encoded>();
  readonly #methods = new Map<string, Encoded>();
  readonly #other = encode(other);

  constructor() {
    this.#templates.set(unmatched, encode(unmatched));
    this.#templates.set(other, this.#other);
  }

  /** Returns a template in its usual form; `undefined` for a value that is none. */
  template(endpoint: unknown): Encoded | undefined {
    const known = this.#templates.get(endpoint as string);
    if (known !== undefined) return known;
    const text = normalise(endpoint);
    if (text === undefined) return undefined;
    if (text.length > limits.endpointChars || this.#templates.size >= templatesMax + 2) return this.#other;
    const encoded = this.#templates.get(text) ?? encode(text);
    this.#templates.set(endpoint as string, encoded);
    return encoded;
  }

  /** Returns `undefined` for a value that is no method. */
  method(name: unknown): Encoded | undefined {
    const known = this.#methods.get(name as string);
    if (known !== undefined) return known;
    if (typeof name !== 'string' || !method.test(name) || this.#methods.size >= methodsMax) return undefined;
    const encoded = encode(name.toUpperCase());
    this.#methods.set(name, encoded);
    return encoded;
  }
}

/** Removes a query string, in case that somebody passes an address all the same. */
function normalise(endpoint: unknown): string | undefined {
  if (typeof endpoint !== 'string') return undefined;
  const text = endpoint.replace(/[?#].*$/s, '').trim();
  return text === '' || /\p{Cc}/u.test(text) ? undefined : text;
}

const utf8 = new TextEncoder();

export function encode(text: string): Encoded {
  const json = JSON.stringify(text);
  return { json, bytes: utf8.encode(json).length };
}

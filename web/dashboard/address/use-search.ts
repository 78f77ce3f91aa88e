import { useEffect, useRef, useState } from 'preact/hooks';
import { type AddressChanges, useAddress } from './use-address.js';

/** `text` is what is typed; `asked` is what the service searches for, which follows shortly after. */
export type Search = { text: string; asked: string | undefined; onInput(text: string): void };

/** A pause in typing, in milliseconds: each word costs one read rather than one for each letter. */
const pauseMs = 250;
/** The service accepts no longer one. */
const lengthMax = 200;

/** The search of a table, which the address keeps as `search`. Each one changes `also` as well, such as the part of a list. */
export function useSearch(also: AddressChanges = {}): Search {
  const { query, replace } = useAddress();
  const asked = query['search'] ?? '';
  const [text, setText] = useState(asked);
  const known = useRef(asked);
  const change = useRef(replace);
  change.current = replace;
  useEffect(() => {
    // Another address, as after Back, says what the field has.
    if (asked === known.current) return;
    known.current = asked;
    setText(asked);
  }, [asked]);
  useEffect(() => {
    if (text === known.current) return;
    const timer = setTimeout(() => {
      known.current = text;
      change.current({ ...also, search: text });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return { text, asked: asked || undefined, onInput: (typed) => setText(typed.slice(0, lengthMax)) };
}

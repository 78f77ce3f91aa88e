import { useEffect, useRef, useState } from 'preact/hooks';
import { useAddress } from '../../address/use-address.js';

/** `text` is what is typed; `asked` is what the service searches for, which follows shortly after. */
export type Search = { text: string; asked: string | undefined; onInput(text: string): void };

/** A pause in typing, in milliseconds: each word costs one read rather than one for each letter. */
const pauseMs = 250;
/** The service accepts no longer one. */
const lengthMax = 200;

/** The search of the table, which the address keeps as `search`. */
export function useSearch(): Search {
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
      change.current({ search: text });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return { text, asked: asked || undefined, onInput: (typed) => setText(typed.slice(0, lengthMax)) };
}

import { useState } from 'preact/hooks';
import { keep, readKept } from '../../kit/kept.js';

/** A choice that this browser keeps, `usual` until there is one; without storage it holds until the tab closes. */
export function useKept(key: string, usual: boolean): [value: boolean, choose: (value: boolean) => void] {
  const [choices, setChoices] = useState<Readonly<Record<string, boolean>>>({});
  return [
    choices[key] ?? readChoice(key) ?? usual,
    (value) => {
      setChoices({ ...choices, [key]: value });
      keep(key, value ? 'yes' : 'no');
    },
  ];
}

function readChoice(key: string): boolean | undefined {
  const text = readKept(key);
  return text === undefined ? undefined : text === 'yes';
}

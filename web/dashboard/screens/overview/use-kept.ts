import { useState } from 'preact/hooks';

/** A choice that this browser keeps, `usual` until there is one; without storage it holds until the tab closes. */
export function useKept(key: string, usual: boolean): [value: boolean, keep: (value: boolean) => void] {
  const [choices, setChoices] = useState<Readonly<Record<string, boolean>>>({});
  return [
    choices[key] ?? read(key) ?? usual,
    (value) => {
      setChoices({ ...choices, [key]: value });
      try {
        localStorage.setItem(key, value ? 'yes' : 'no');
      } catch {
        // Storage is forbidden or full.
      }
    },
  ];
}

function read(key: string): boolean | undefined {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : text === 'yes';
  } catch {
    return undefined; // Storage is forbidden.
  }
}

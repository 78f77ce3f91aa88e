import { useCallback } from 'preact/hooks';
import { textFor, useTexts } from '../../../texts.js';
import { boardsTexts } from '../texts.js';
import type { Sheet } from './sheet.js';

/** Returns what names a column of a sheet in words; one of a statement has the name that its author gave it. */
export function useColumnName({
  isStatement,
  words,
}: Pick<Sheet, 'isStatement' | 'words'>): (name: string) => string {
  const { columns } = useTexts(boardsTexts);
  return useCallback(
    (name) => (isStatement ? name : (textFor(columns, words?.[name] ?? name) ?? name)),
    [columns, isStatement, words],
  );
}

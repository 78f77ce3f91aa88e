import type { Editor } from '../../kit/form/use-editor.js';
import { kitTexts } from '../../kit/texts.js';
import { useTexts } from '../../texts.js';

/** The buttons below settings of the page. */
export function SaveBar<V extends object>({ editor }: { editor: Editor<V> }) {
  const kit = useTexts(kitTexts);
  const { isChanged, isSending, discard } = editor;
  return (
    <>
      <button type="submit" class="button" disabled={!isChanged} aria-disabled={isSending}>
        {kit.save}
      </button>
      {isChanged && (
        <>
          <button type="button" class="button small" onClick={discard}>
            {kit.discard}
          </button>
          <span class="note">{kit.changed}</span>
        </>
      )}
    </>
  );
}

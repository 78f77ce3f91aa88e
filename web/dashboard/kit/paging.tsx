import { useTexts } from '../texts.js';
import { kitTexts } from './texts.js';

type PagingProps = {
  /** Goes back to the newest part; absent where that is the one that is shown. */
  onNewest?: (() => void) | undefined;
  /** Goes to the part with older rows; absent where there are none. */
  onOlder?: (() => void) | undefined;
};

/** Goes through a list that the API gives part by part; nothing where one part has all. */
export function Paging({ onNewest, onOlder }: PagingProps) {
  const texts = useTexts(kitTexts);
  return (
    <>
      {onNewest !== undefined && (
        <button type="button" class="button small" onClick={onNewest}>
          {texts.newest}
        </button>
      )}
      {onOlder !== undefined && (
        <button type="button" class="button small" onClick={onOlder}>
          {texts.older}
        </button>
      )}
    </>
  );
}

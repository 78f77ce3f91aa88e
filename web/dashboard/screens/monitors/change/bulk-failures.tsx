import { useFormat } from '../../../format.js';
import { Icon } from '../../../kit/icons.js';
import { useTexts } from '../../../texts.js';
import { namesMax } from './delete-many.js';
import { changeTexts } from './texts.js';
import type { BulkAction, BulkState } from './use-bulk.js';

type FailuresProps = {
  state: BulkState | undefined;
  onRetry(action: BulkAction, monitors: BulkState['failed']): void;
  onClose(): void;
};

/** The monitors that are as they were, each with the reason. */
export function BulkFailures({ state, onRetry, onClose }: FailuresProps) {
  const texts = useTexts(changeTexts);
  const { count } = useFormat();
  if (state === undefined || state.isRunning || state.failed.length === 0) return null;
  const { action, failed } = state;
  return (
    <div class="error-notice bulk-failures" role="alert">
      <Icon name="warning" />
      <div>
        <p>{texts.failed[action.verb]({ count: count(failed.length) })}</p>
        <ul>
          {failed.slice(0, namesMax).map(({ slug, name, why }) => (
            <li key={slug}>
              <span dir="auto">{name}</span>: {why === '' ? texts.noAnswer : <span lang="en">{why}</span>}
            </li>
          ))}
          {failed.length > namesMax && <li>{texts.andMore({ count: count(failed.length - namesMax) })}</li>}
        </ul>
      </div>
      <button type="button" class="button small" onClick={() => onRetry(action, failed)}>
        {texts.retry}
      </button>
      <button type="button" class="icon-button" aria-label={texts.close} onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  );
}

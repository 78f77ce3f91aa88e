import type { ManagedSubscriber } from '../../../../contract/manage/subscribers.js';
import { Confirm } from '../../kit/form/confirm.js';
import { Icon } from '../../kit/icons.js';
import { showNotice } from '../../kit/notice.js';
import { pagePath } from '../../reads/api-path.js';
import { ReadError, sendJson } from '../../reads/fetch-json.js';
import { unlessGone } from '../../reads/refusals.js';
import { useSend } from '../../reads/use-send.js';
import { usePage, useSession } from '../../session.js';
import { useSubscribersTexts } from './use-subscribers-texts.js';

/** A change that waits for an answer. */
export type Asked = { what: 'remove' | 'allow'; subscriber: ManagedSubscriber };

type RowProps = {
  subscriber: ManagedSubscriber;
  setAsked(asked: Asked): void;
  askAgain(subscriber: ManagedSubscriber): void;
};

/** The buttons of an address. */
export function RowActions({ subscriber, setAsked, askAgain }: RowProps) {
  const texts = useSubscribersTexts();
  const { email, state, createdAt } = subscriber;
  const { sendsMail } = useSession();
  return (
    <span class="row-actions">
      {state === 'unconfirmed' && sendsMail && (
        <button
          type="button"
          class="button small"
          aria-label={texts.askOf({ email })}
          onClick={() => askAgain(subscriber)}
        >
          {texts.ask}
        </button>
      )}
      {(state === 'bounced' || state === 'unsubscribed') && (
        <button
          type="button"
          class="button small"
          aria-label={texts.allowOf({ email })}
          onClick={() => setAsked({ what: 'allow', subscriber })}
        >
          {texts.allow}
        </button>
      )}
      {/* A suppressed address may be no subscriber any more. */}
      {createdAt !== null && (
        <button
          type="button"
          class="icon-button"
          title={texts.remove}
          aria-label={texts.removeOf({ email })}
          onClick={() => setAsked({ what: 'remove', subscriber })}
        >
          <Icon name="trash" />
        </button>
      )}
    </span>
  );
}

/** Asks an address once more to confirm, and says how that went. */
export function useAskAgain(onChanged: () => void) {
  const { slug } = usePage();
  const texts = useSubscribersTexts();
  return useSend(async ({ id, email }: ManagedSubscriber) => {
    try {
      await sendJson('POST', pagePath(slug, `/subscribers/${id}/confirm-mail`));
      showNotice(texts.asked({ email }));
    } catch (error) {
      if (!(error instanceof ReadError) || error.message === '') throw error;
      showNotice(error.message);
    }
    onChanged();
  });
}

type DialogProps = { asked: Asked; onClose(): void; onChanged(): void };

export function AskedDialog({ asked: { what, subscriber }, onClose, onChanged }: DialogProps) {
  const { slug } = usePage();
  const texts = useSubscribersTexts();
  const { id, email, state } = subscriber;
  const path = pagePath(slug, `/subscribers/${id}`);
  const isRemoval = what === 'remove';
  const confirm = async (): Promise<void> => {
    // Whatever happened to it meanwhile, an address that is gone is what was asked for.
    if (isRemoval) await sendJson('DELETE', path).catch(unlessGone);
    else await sendJson('POST', `${path}/unsuppress`);
    showNotice(isRemoval ? texts.removed({ email }) : texts.allowed({ email }));
    onChanged();
  };
  return (
    <Confirm
      title={isRemoval ? texts.removeTitle : texts.allowTitle}
      action={isRemoval ? texts.remove : texts.allow}
      isDanger={isRemoval}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        {isRemoval
          ? texts.removeWhy({ email })
          : texts.allowWhy[state === 'unsubscribed' ? 'unsubscribed' : 'bounced']({ email })}
      </p>
    </Confirm>
  );
}

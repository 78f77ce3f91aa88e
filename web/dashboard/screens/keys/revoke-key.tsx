import type { ManagedKey } from '../../../../contract/manage/keys.js';
import { useFormat } from '../../format.js';
import { Confirm } from '../../kit/form/confirm.js';
import { showNotice } from '../../kit/notice.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { titleOf } from './columns.js';
import { keysTexts } from './texts.js';

type RevokeProps = { of: ManagedKey; onChanged(): void; onClose(): void };

/** Asks before a key ends for good, with when it was used last: that says whether somebody still needs it. */
export function RevokeKey({ of, onChanged, onClose }: RevokeProps) {
  const texts = useTexts(keysTexts);
  const format = useFormat();
  const { slug } = usePage();
  const confirm = async (): Promise<void> => {
    await sendJson('DELETE', pagePath(slug, `/keys/${of.id}`));
    showNotice(texts.revoked);
    onChanged();
  };
  return (
    <Confirm
      title={texts.revokeTitle({ key: titleOf(of) })}
      action={texts.revoke}
      isDanger
      onClose={onClose}
      onConfirm={confirm}
    >
      <p>
        {texts.revokeWhy}{' '}
        {of.lastUsedAt === null
          ? texts.usedNever
          : texts.usedLast({ ago: format.ago(Math.max(0, Date.now() - Date.parse(of.lastUsedAt))) })}
      </p>
    </Confirm>
  );
}

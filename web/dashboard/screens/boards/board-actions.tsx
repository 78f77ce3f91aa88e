import { useState } from 'preact/hooks';
import type { ManagedBoard } from '../../../../contract/manage/boards.js';
import { useAddress } from '../../address/use-address.js';
import { Confirm } from '../../kit/form/confirm.js';
import { Icon } from '../../kit/icons.js';
import { Menu } from '../../kit/menu.js';
import { showNotice } from '../../kit/notice.js';
import { kitTexts } from '../../kit/texts.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { unlessGone } from '../../reads/refusals.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { useTexts } from '../../texts.js';
import { ShareDialog } from './share/share-dialog.js';
import { boardsTexts } from './texts.js';

/** Edits, shares and deletes a board. */
export function BoardActions({ board }: { board: ManagedBoard }) {
  const { may } = usePage();
  const { choose } = useAddress();
  const texts = useTexts(boardsTexts);
  const kit = useTexts(kitTexts);
  const [open, setOpen] = useState<'share' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <PermittedButton permission="page.write" class="button small" onClick={() => setOpen('share')}>
        <Icon name="link" />
        {texts.share}
      </PermittedButton>
      <PermittedButton permission="page.write" class="button small" onClick={() => choose({ edit: '1' })}>
        <Icon name="edit" />
        {texts.edit}
      </PermittedButton>
      {may('page.write') && (
        <Menu label={kit.more} button={<Icon name="more" />} class="icon-button" align="end">
          {(closeMenu) => (
            <ul class="menu-list">
              <li>
                <button
                  type="button"
                  onClick={() => {
                    closeMenu();
                    setOpen('delete');
                  }}
                >
                  <Icon name="trash" />
                  {texts.delete} …
                </button>
              </li>
            </ul>
          )}
        </Menu>
      )}
      {open === 'share' && <ShareDialog board={board} onClose={close} />}
      {open === 'delete' && <DeleteBoard board={board} onClose={close} />}
    </>
  );
}

function DeleteBoard({ board, onClose }: { board: ManagedBoard; onClose(): void }) {
  const { slug } = usePage();
  const { replace } = useAddress();
  const texts = useTexts(boardsTexts);
  const { name } = board;
  const confirm = async (): Promise<void> => {
    const path = pagePath(slug, `/boards/${encodeURIComponent(board.slug)}`);
    await sendJson('DELETE', path).catch(unlessGone);
    replace({ board: undefined, service: undefined, endpoint: undefined, environment: undefined });
    showNotice(texts.deleted({ name }));
  };
  return (
    <Confirm
      title={texts.deleteTitle({ name })}
      action={texts.delete}
      isDanger
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{texts.deleteWhy}</p>
    </Confirm>
  );
}

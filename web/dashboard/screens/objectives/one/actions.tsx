import { useState } from 'preact/hooks';
import type { ManagedObjective } from '../../../../../contract/manage/objectives.js';
import { useAddress } from '../../../address/use-address.js';
import { Confirm } from '../../../kit/form/confirm.js';
import { Icon } from '../../../kit/icons.js';
import { Menu } from '../../../kit/menu.js';
import { showNotice } from '../../../kit/notice.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { unlessGone } from '../../../reads/refusals.js';
import { usePage } from '../../../session.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { objectivesTexts } from '../texts.js';

type ActionsProps = {
  objective: ManagedObjective;
  /** The number of rules that look at it. */
  rules: number;
};

/** Edits and deletes an objective. */
export function ObjectiveActions({ objective, rules }: ActionsProps) {
  const { may } = usePage();
  const { choose } = useAddress();
  const texts = useTexts(objectivesTexts);
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <PermittedButton permission="rules.write" class="button small" onClick={() => choose({ edit: '1' })}>
        <Icon name="edit" />
        {texts.edit}
      </PermittedButton>
      {may('rules.write') && (
        <Menu label={texts.more} button={<Icon name="more" />} class="icon-button" align="end">
          {(close) => (
            <ul class="menu-list">
              <li>
                <button
                  type="button"
                  onClick={() => {
                    close();
                    setAsking(true);
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
      {isAsking && <DeleteObjective {...{ objective, rules }} onClose={() => setAsking(false)} />}
    </>
  );
}

function DeleteObjective({ objective, rules, onClose }: ActionsProps & { onClose(): void }) {
  const { slug } = usePage();
  const { replace } = useAddress();
  const texts = useTexts(objectivesTexts);
  const { name } = objective;
  const confirm = async (): Promise<void> => {
    const path = pagePath(slug, `/objectives/${encodeURIComponent(objective.slug)}`);
    await sendJson('DELETE', path).catch(unlessGone);
    replace({ objective: undefined, at: undefined, zoom: undefined });
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
      {rules > 0 && <p>{texts.deleteRules({ count: rules })}</p>}
    </Confirm>
  );
}

import { useState } from 'preact/hooks';
import type { ManagedRule as Rule } from '../../../../contract/manage/rules.js';
import { useAddress } from '../../address/use-address.js';
import { Confirm } from '../../kit/form/confirm.js';
import { Icon } from '../../kit/icons.js';
import { Menu } from '../../kit/menu.js';
import { showNotice } from '../../kit/notice.js';
import { pagePath } from '../../reads/api-path.js';
import { sendForTag, sendJson } from '../../reads/fetch-json.js';
import { unlessGone } from '../../reads/refusals.js';
import type { Read } from '../../reads/use-read.js';
import { useSend } from '../../reads/use-send.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { useTexts } from '../../texts.js';
import { rulesTexts } from './texts.js';
import { useRedFrom } from './use-red-from.js';

type ActionsProps = { rule: Rule; read: Read<Rule> };

/** Turns a rule on or off, copies it and deletes it. */
export function RuleActions({ rule, read }: ActionsProps) {
  const { slug, may } = usePage();
  const { choose } = useAddress();
  const texts = useTexts(rulesTexts);
  const [isAsking, setAsking] = useState(false);
  const { name, enabled } = rule;
  const turn = useSend(async (isOn: boolean, isUndo: boolean) => {
    const path = pagePath(slug, `/rules/${encodeURIComponent(rule.slug)}`);
    try {
      read.take(await sendForTag<Rule>('PATCH', path, { enabled: isOn }));
    } catch (error) {
      showNotice(texts.notTurned({ name }));
      throw error;
    }
    const undo = isUndo ? undefined : () => turn.run(!isOn, true);
    showNotice(isOn ? texts.turnedOn({ name }) : texts.turnedOff({ name }), undo);
  });
  return (
    <>
      <PermittedButton
        permission="rules.write"
        class="button small"
        isBusy={turn.isSending}
        onClick={() => turn.run(!enabled, false)}
      >
        <Icon name={enabled ? 'pause' : 'play'} />
        {enabled ? texts.turnOff : texts.turnOn}
      </PermittedButton>
      {may('rules.write') && (
        <Menu label={texts.more} button={<Icon name="more" />} class="icon-button" align="end">
          {(close) => (
            <ul class="menu-list">
              <li>
                <button
                  type="button"
                  onClick={() => choose({ rule: undefined, new: rule.kind, copy: rule.slug })}
                >
                  <Icon name="copy" />
                  {texts.duplicate}
                </button>
              </li>
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
      {isAsking && <DeleteRule rule={rule} onClose={() => setAsking(false)} />}
    </>
  );
}

function DeleteRule({ rule, onClose }: { rule: Rule; onClose(): void }) {
  const { slug } = usePage();
  const { replace } = useAddress();
  const texts = useTexts(rulesTexts);
  const setRedFrom = useRedFrom();
  const { name, alerts } = rule;
  const confirm = async (): Promise<void> => {
    await sendJson('DELETE', pagePath(slug, `/rules/${encodeURIComponent(rule.slug)}`)).catch(unlessGone);
    setRedFrom(undefined, rule.slug);
    replace({ rule: undefined });
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
      {alerts > 0 && <p>{texts.deleteAlerts({ count: alerts })}</p>}
    </Confirm>
  );
}

import { useMemo, useState } from 'preact/hooks';
import type { ManagedRule as Rule } from '../../../../contract/manage/rules.js';
import { showNotice } from '../../kit/notice.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import type { Read } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { rulesTexts } from './texts.js';

const nothing: readonly Rule[] = [];

/** The rules of a list, and the switch of each: what is switched shows at once, and a notice takes it back. */
export function useSwitches(read: Read<{ items: readonly Rule[] }>) {
  const { slug, may } = usePage();
  const texts = useTexts(rulesTexts);
  const [switched, setSwitched] = useState<ReadonlyMap<string, Rule>>(new Map());
  const items = read.data?.items ?? nothing;
  const rules = useMemo(
    () =>
      items.map((rule) => {
        const mine = switched.get(rule.slug);
        return mine !== undefined && mine.updatedAt >= rule.updatedAt ? mine : rule;
      }),
    [items, switched],
  );
  const keep = (rule: Rule): void => setSwitched((before) => new Map(before).set(rule.slug, rule));
  const toggle = async (rule: Rule, enabled: boolean, isUndo = false): Promise<void> => {
    const { name } = rule;
    keep({ ...rule, enabled, state: enabled ? 'ok' : 'off', since: null, alerts: 0 });
    try {
      const path = pagePath(slug, `/rules/${encodeURIComponent(rule.slug)}`);
      const changed = await sendJson<Rule>('PATCH', path, { enabled });
      keep(changed);
      const undo = isUndo ? undefined : () => void toggle(changed, !enabled, true);
      showNotice(enabled ? texts.turnedOn({ name }) : texts.turnedOff({ name }), undo);
    } catch {
      keep(rule);
      showNotice(texts.notTurned({ name }));
    }
  };
  return {
    rules,
    mayToggle: may('rules.write'),
    toggle: (rule: Rule, enabled: boolean) => void toggle(rule, enabled),
  };
}

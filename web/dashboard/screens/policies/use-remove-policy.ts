import type { ManagedPolicy } from '../../../../contract/manage/policies.js';
import { showNotice } from '../../kit/notice.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { unlessGone } from '../../reads/refusals.js';
import type { Read } from '../../reads/use-read.js';
import { type Send, useSend } from '../../reads/use-send.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { policiesTexts } from './texts.js';
import { bodyOf, valuesOf } from './values.js';

/** The path of a policy in the management API. */
export function policyPath(page: string, slug: string): string {
  return pagePath(page, `/policies/${encodeURIComponent(slug)}`);
}

/** Deletes a policy; the notice brings it back. One that a rule names is refused. */
export function useRemovePolicy(policy: ManagedPolicy, list: Pick<Read<unknown>, 'retry'>): Send<[]> {
  const texts = useTexts(policiesTexts);
  const { slug: page } = usePage();
  const path = policyPath(page, policy.slug);
  const restore = (): void => {
    sendJson('PUT', path, bodyOf(valuesOf(policy)), { isNew: true })
      .then(
        () => showNotice(texts.restored({ name: policy.name })),
        () => showNotice(texts.notRestored),
      )
      .finally(list.retry);
  };
  return useSend(async () => {
    await sendJson('DELETE', path).catch(unlessGone);
    list.retry();
    showNotice(texts.removed({ name: policy.name }), restore);
  });
}

import type { ManagedPerson } from '../../../../contract/manage/people.js';
import type { Me } from '../../../../contract/manage/session.js';
import { Confirm } from '../../kit/form/confirm.js';
import { showNotice } from '../../kit/notice.js';
import { pagePath } from '../../reads/api-path.js';
import { fetchJson, sendJson } from '../../reads/fetch-json.js';
import { usePage, useSession } from '../../session.js';
import { useTexts } from '../../texts.js';
import { peopleTexts } from './texts.js';

type RemoveProps = { person: ManagedPerson; onChanged(): void; onClose(): void };

/** Asks before somebody loses the page. */
export function RemovePerson({ person, onChanged, onClose }: RemoveProps) {
  const texts = useTexts(peopleTexts);
  const { slug } = usePage();
  const { me, setMe } = useSession();
  const isOwn = person.id === me.caller.id;
  const confirm = async (): Promise<void> => {
    await sendJson('DELETE', pagePath(slug, `/people/${person.id}`));
    showNotice(texts.removed({ person: person.name }));
    onChanged();
    if (!isOwn) return;
    fetchJson<Me>('/api/v1/me').then(
      (answer) => answer !== 'unchanged' && setMe(answer.body),
      () => {},
    );
  };
  return (
    <Confirm
      title={texts.removeTitle({ person: person.name })}
      action={texts.remove}
      isDanger
      onClose={onClose}
      onConfirm={confirm}
    >
      <p>{texts.removeWhy}</p>
      {isOwn && <p class="secret-once">{texts.removeSelf}</p>}
    </Confirm>
  );
}

import { useState } from 'preact/hooks';
import type { Audience } from '../../../../../contract/manage/audience.js';
import { accountPaths } from '../../../../account/manage-paths.js';
import { useFormat } from '../../../format.js';
import { Dialog } from '../../../kit/dialog.js';
import { TextField } from '../../../kit/form/field.js';
import { SendError } from '../../../kit/form/form.js';
import { kitTexts } from '../../../kit/texts.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { readIfStale } from '../../../reads/refusals.js';
import { useRead } from '../../../reads/use-read.js';
import { useSend } from '../../../reads/use-send.js';
import { useTexts } from '../../../texts.js';
import type { PageRead } from '../use-page-editor.js';
import { dangerTexts } from './texts.js';

/** Says what goes with the page, and deletes it once its short name is typed. */
export function DeletePage({ read, page, onClose }: PageRead & { onClose(): void }) {
  const texts = useTexts(dangerTexts);
  const kit = useTexts(kitTexts);
  const { number } = useFormat();
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const audience = useRead<Audience>(pagePath(page.slug, '/audience')).data;
  const monitors = useRead<{ items: unknown[]; nextCursor: string | null }>(
    pagePath(page.slug, '/monitors', { limit: '200' }),
  ).data;
  const remove = useSend(async () => {
    const body = { confirm: typed.trim() };
    await sendJson('DELETE', pagePath(page.slug, ''), body, { ifMatch: read.etag }).catch(readIfStale(read));
    // The list of pages is in the document that loads the dashboard.
    location.assign(accountPaths.home);
  });
  const submit = (): void => {
    const isRight = typed.trim() === page.slug;
    setWrong(!isRight);
    if (isRight) remove.run();
  };
  return (
    <Dialog title={texts.removeTitle({ name: page.name })} onClose={onClose}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <p>{texts.goes}</p>
        <ul class="plain-points">
          <li>{texts.readers({ host: new URL(page.url).host })}</li>
          <li>{texts.data}</li>
          {monitors !== undefined && (
            <li>
              {texts.monitors({
                count: number(monitors.items.length) + (monitors.nextCursor === null ? '' : '+'),
              })}
            </li>
          )}
          {audience !== undefined && <li>{texts.subscribers({ count: number(audience.subscribers) })}</li>}
          <li>{texts.keys}</li>
          <li>{texts.people}</li>
        </ul>
        <TextField
          label={texts.typed({ slug: page.slug })}
          value={typed}
          onInput={(value) => {
            setTyped(value);
            setWrong(false);
          }}
          error={isWrong ? texts.wrong : undefined}
          input={{ autocomplete: 'off', spellcheck: false }}
        />
        {remove.error !== undefined && <SendError error={remove.error} />}
        <div class="form-actions end">
          <button type="button" class="button small" onClick={onClose}>
            {kit.cancel}
          </button>
          <button type="submit" class="button danger" aria-disabled={remove.isSending}>
            {texts.action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

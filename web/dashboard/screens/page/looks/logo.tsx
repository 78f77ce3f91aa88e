import { useState } from 'preact/hooks';
import type { ManagedPage } from '../../../../../contract/manage/pages.js';
import { Confirm } from '../../../kit/form/confirm.js';
import { Field } from '../../../kit/form/field.js';
import { SendError } from '../../../kit/form/form.js';
import { showNotice } from '../../../kit/notice.js';
import { Panel } from '../../../kit/panel.js';
import { kitTexts } from '../../../kit/texts.js';
import { pagePath } from '../../../reads/api-path.js';
import { fetchJson, sendJson } from '../../../reads/fetch-json.js';
import { readIfStale } from '../../../reads/refusals.js';
import { useSend } from '../../../reads/use-send.js';
import { PermittedButton, useRefusal } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import type { PageRead } from '../use-page-editor.js';
import { looksTexts } from './texts.js';

/** File types that the service takes. */
const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml'];
const bytesMax = 100 * 1024;

type Chosen = { file: File; url: string };

/** The logo: a file that is looked at before it is sent. */
export function Logo({ read, page }: PageRead) {
  const texts = useTexts(looksTexts);
  const kit = useTexts(kitTexts);
  const refusal = useRefusal('page.write');
  const [chosen, setChosen] = useState<Chosen>();
  const [problem, setProblem] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const path = pagePath(page.slug, '/logo');
  const put = useSend(async ({ file }: Chosen) => {
    const headers = { 'content-type': file.type, ...(read.etag !== undefined && { 'if-match': read.etag }) };
    const answer = await fetchJson<ManagedPage>(path, { method: 'PUT', headers, body: file }).catch(
      readIfStale(read),
    );
    if (answer !== 'unchanged') read.take(answer);
    setChosen(undefined);
    showNotice(texts.logoSaved);
  });
  const remove = async (): Promise<void> => {
    await sendJson('DELETE', path);
    read.retry();
    showNotice(texts.logoRemoved);
  };
  const choose = async (file: File | undefined): Promise<void> => {
    setChosen(undefined);
    put.clear();
    const wrong = file && problemOf(file, texts);
    setProblem(wrong);
    if (file !== undefined && wrong === undefined) setChosen({ file, url: await toDataUrl(file) });
  };
  return (
    <Panel title={texts.logo} note={page.hasLogo ? texts.hasLogo : texts.noLogo}>
      <div class="form">
        {refusal === undefined && (
          <Field label={texts.logoFile} hint={texts.logoLimits} error={problem}>
            {(input) => (
              <input
                {...input}
                type="file"
                accept={types.join()}
                onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
              />
            )}
          </Field>
        )}
        {chosen !== undefined && (
          <div class="logo-samples">
            <img class="light" src={chosen.url} alt={texts.logoOn.light} />
            <img class="dark" src={chosen.url} alt={texts.logoOn.dark} />
          </div>
        )}
        {put.error !== undefined && <SendError error={put.error} />}
        {(chosen !== undefined || page.hasLogo) && (
          <div class="form-actions">
            {chosen !== undefined && (
              <PermittedButton permission="page.write" isBusy={put.isSending} onClick={() => put.run(chosen)}>
                {texts.useLogo}
              </PermittedButton>
            )}
            {page.hasLogo && (
              <PermittedButton permission="page.write" class="button small" onClick={() => setAsking(true)}>
                {texts.removeLogo}
              </PermittedButton>
            )}
          </div>
        )}
      </div>
      {isAsking && (
        <Confirm
          {...{ title: texts.removeLogo, action: kit.remove, isDanger: true, onConfirm: remove }}
          onClose={() => setAsking(false)}
        >
          <p>{texts.removeLogoWhy}</p>
        </Confirm>
      )}
    </Panel>
  );
}

function problemOf({ type, size }: File, texts: (typeof looksTexts)['en']): string | undefined {
  if (!types.includes(type)) return texts.logoType;
  return size > bytesMax ? texts.logoSize({ kib: Math.ceil(size / 1024) }) : undefined;
}

function toDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

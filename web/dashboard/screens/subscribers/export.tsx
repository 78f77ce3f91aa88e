import type { SubscriberFilter } from '../../../../contract/subscribers.js';
import { SendError } from '../../kit/form/form.js';
import { Icon } from '../../kit/icons.js';
import { saveFile } from '../../kit/save-file.js';
import { pagePath } from '../../reads/api-path.js';
import { fetchAnswer } from '../../reads/fetch-json.js';
import { useSend } from '../../reads/use-send.js';
import { usePage } from '../../session.js';
import { useSubscribersTexts } from './use-subscribers-texts.js';

type ExportProps = { q: string | undefined; state: SubscriberFilter | undefined };

/** Saves every address that fits the search as one file. */
export function ExportButton({ q, state }: ExportProps) {
  const { slug } = usePage();
  const texts = useSubscribersTexts();
  const { run, isSending, error } = useSend(async () => {
    const parts: string[] = [];
    let path: string | undefined = pagePath(slug, '/subscribers', { q, state });
    while (path !== undefined) {
      const answer = await fetchAnswer(path, { headers: { accept: 'text/csv' } });
      const text = await answer.text();
      // Each part has the titles of the columns.
      parts.push(parts.length === 0 ? text : text.slice(text.indexOf('\n') + 1));
      path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    saveFile(`subscribers-${slug}.csv`, parts.join(''), 'text/csv;charset=utf-8');
  });
  return (
    <>
      {error !== undefined && <SendError error={error} />}
      <button type="button" class="button small" aria-disabled={isSending} onClick={run}>
        <Icon name="download" />
        {isSending ? texts.exporting : texts.export}
      </button>
    </>
  );
}

import { useState } from 'preact/hooks';
import type { HostnameCheck } from '../../../../../contract/manage/pages/hostname.js';
import type { ManagedPage } from '../../../../../contract/manage/pages.js';
import { Badge } from '../../../kit/badge.js';
import { SendError } from '../../../kit/form/form.js';
import { Panel } from '../../../kit/panel.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { useSend } from '../../../reads/use-send.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { addressTexts } from './texts.js';

const tones = { 'this page': 'good', another: 'bad', nothing: 'warn' } as const;

type CheckProps = { page: ManagedPage /** The entered name, saved or not. */; hostname: string };

/** Looks where a host name leads now, when somebody asks. */
export function HostnameCheckPanel({ page, hostname }: CheckProps) {
  const texts = useTexts(addressTexts);
  const [found, setFound] = useState<HostnameCheck>();
  const check = useSend(async () => {
    setFound(await sendJson<HostnameCheck>('POST', pagePath(page.slug, '/hostname/check'), { hostname }));
  });
  return (
    <Panel
      title={texts.checkTitle}
      note={texts.checkWhy}
      actions={
        <PermittedButton
          permission="page.write"
          class="button small"
          isBusy={check.isSending}
          onClick={check.run}
        >
          {check.isSending ? texts.checking : texts.check}
        </PermittedButton>
      }
    >
      {check.error !== undefined && <SendError error={check.error} />}
      <div role="status">{found !== undefined && check.error === undefined && <Found found={found} />}</div>
    </Panel>
  );
}

function Found({ found }: { found: HostnameCheck }) {
  const texts = useTexts(addressTexts);
  const { hostname, isPointedHere, answers, records, detail } = found;
  const pointed = isPointedHere === null ? 'unknown' : isPointedHere ? 'yes' : 'no';
  const rows = [
    ...records.cname.map((value) => ['CNAME', value] as const),
    ...records.a.map((value) => ['A', value] as const),
    ...records.aaaa.map((value) => ['AAAA', value] as const),
  ];
  return (
    <div class="hostname-found">
      <p>
        <code>{hostname}</code>
      </p>
      <p>
        <Badge tone={tones[answers]}>{texts.answers[answers]}</Badge>{' '}
        <Badge tone={pointed === 'yes' ? 'good' : pointed === 'no' ? 'bad' : 'none'}>
          {texts.pointed[pointed]}
        </Badge>
      </p>
      <p class="note">{detail}</p>
      <dl class="dns-record">
        <div>
          <dt>{texts.found}</dt>
          <dd>
            {rows.length === 0 && texts.noRecords}
            {rows.map(([type, value]) => (
              <code key={`${type} ${value}`}>
                {type} {value}
              </code>
            ))}
          </dd>
        </div>
      </dl>
    </div>
  );
}

import type { ManagedPage } from '../../../../../contract/manage/pages.js';
import { CopyButton } from '../../../kit/copy-button.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { TextField } from '../../../kit/form/field.js';
import { SettingsForm } from '../../../kit/form/settings-form.js';
import { Panel } from '../../../kit/panel.js';
import { Uses } from '../../../kit/secret.js';
import { useSession } from '../../../session.js';
import { ReadOnlyNote, useRefusal } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { type PageRead, usePageEditor } from '../use-page-editor.js';
import { HostnameCheckPanel } from './hostname-check.js';
import { proxyLines } from './proxy-lines.js';
import { addressTexts } from './texts.js';

type Values = { hostname: string };

const valuesOf = ({ hostname }: ManagedPage): Values => ({ hostname });

/** Under which name readers find the page, what leads there, and whether it does. */
export function AddressTab({ read, page }: PageRead) {
  const texts = useTexts(addressTexts);
  const refusal = useRefusal('page.write');
  const { port } = useSession();
  const editor = usePageEditor<Values>({
    ...{ read, page, valuesOf, keptAs: 'address', required: ['hostname'] },
  });
  const hostname = editor.values.hostname.trim().toLowerCase() || page.hostname;
  return (
    <div class="page-part">
      <ReadOnlyNote permission="page.write" />
      <SettingsForm {...{ editor, title: texts.title, note: texts.why, isReadOnly: refusal !== undefined }}>
        <TextField
          label={texts.hostname}
          hint={editor.isChanged ? texts.move : texts.hostnameWhy}
          {...editor.field('hostname')}
          input={{ inputMode: 'url', spellcheck: false, maxLength: 253, autocomplete: 'off' }}
        />
        <TextField
          label={texts.slug}
          hint={texts.slugWhy}
          value={page.slug}
          onInput={() => {}}
          input={{ readOnly: true }}
        />
      </SettingsForm>
      <DnsRecord hostname={hostname} />
      {refusal === undefined && <HostnameCheckPanel key={page.hostname} page={page} hostname={hostname} />}
      <Panel title={texts.proxy} note={texts.proxyWhy}>
        <div class="form">
          <Uses uses={proxyLines(hostname, port)} />
          <p class="note">{texts.proxyMore}</p>
        </div>
      </Panel>
      <ConflictDialog editor={editor} labels={texts.labels} />
    </div>
  );
}

/** The record that leads from the host name to the service. */
function DnsRecord({ hostname }: { hostname: string }) {
  const texts = useTexts(addressTexts);
  const { baseUrl } = useSession();
  const service = new URL(baseUrl, location.href).hostname;
  const isPublic = service.includes('.') && !/^[\d.]+$|localhost$/.test(service) && service !== hostname;
  return (
    <Panel title={texts.record} note={isPublic ? texts.recordWhy : texts.recordNoHost}>
      <dl class="dns-record">
        <div>
          <dt>{texts.type}</dt>
          <dd>
            <code>{isPublic ? 'CNAME' : 'A / AAAA'}</code>
          </dd>
        </div>
        <div>
          <dt>{texts.name}</dt>
          <dd>
            <code>{hostname}.</code>
            <CopyButton text={`${hostname}.`} />
          </dd>
        </div>
        <div>
          <dt>{texts.value}</dt>
          <dd>
            {isPublic ? <code>{service}.</code> : texts.serverAddress}
            {isPublic && <CopyButton text={`${service}.`} />}
          </dd>
        </div>
      </dl>
    </Panel>
  );
}

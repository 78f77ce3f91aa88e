import { useState } from 'preact/hooks';
import type { CreatedManagedKey } from '../../../../contract/manage/keys.js';
import type { KeyAccess } from '../../../../contract/permissions.js';
import type { PageScope } from '../../../../contract/scopes.js';
import { Dialog } from '../../kit/dialog.js';
import { Segments, SelectField } from '../../kit/form/choices.js';
import { TextField } from '../../kit/form/field.js';
import { Form } from '../../kit/form/form.js';
import { FormButtons } from '../../kit/form/form-buttons.js';
import { TimeField } from '../../kit/form/time-field.js';
import { type FormState, useForm } from '../../kit/form/use-form.js';
import { SecretDialog } from '../../kit/secret.js';
import { kitTexts } from '../../kit/texts.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { usePage, useSession } from '../../session.js';
import { useTexts } from '../../texts.js';
import { ScopeChoice } from './scope-choice.js';
import { keysTexts } from './texts.js';
import { usesOf } from './uses.js';

type Expiry = 'never' | 'd30' | 'd90' | 'd365' | 'own';
type Values = { scope: PageScope; access: KeyAccess; name: string; expiry: Expiry; expiresAt: string };

const usual: Values = { scope: 'ingest', access: 'read', name: '', expiry: 'never', expiresAt: '' };
const daysOf = { d30: 30, d90: 90, d365: 365 } as const;

/** Makes a key, and then shows it once. */
export function CreateKey({ onCreated, onClose }: { onCreated(): void; onClose(): void }) {
  const texts = useTexts(keysTexts);
  const { slug } = usePage();
  const { baseUrl } = useSession();
  const [made, setMade] = useState<CreatedManagedKey>();
  if (made === undefined) {
    return (
      <Dialog title={texts.create} onClose={onClose} isWide>
        <KeyForm
          onClose={onClose}
          onMade={(created) => {
            setMade(created);
            onCreated();
          }}
        />
      </Dialog>
    );
  }
  const { scope, key } = made;
  return (
    <SecretDialog
      title={texts.made({ scope: texts.scopes[scope] })}
      label={texts.copy}
      secret={key}
      uses={scope === 'admin' ? [] : usesOf({ scope, slug, baseUrl, key, environment: texts.environment })}
      onClose={onClose}
    />
  );
}

function KeyForm({ onMade, onClose }: { onMade(created: CreatedManagedKey): void; onClose(): void }) {
  const texts = useTexts(keysTexts);
  const kit = useTexts(kitTexts);
  const { slug } = usePage();
  const form = useForm<Values>({
    initial: usual,
    keptAs: `${slug} key`,
    required: ['name'],
    check: ({ expiry, expiresAt }): Record<string, string> =>
      expiry === 'own' && expiresAt === '' ? { expiresAt: kit.required } : {},
    async send(values) {
      onMade(await sendJson<CreatedManagedKey>('POST', pagePath(slug, '/keys'), bodyOf(values, Date.now())));
    },
  });
  const { values, set } = form;
  return (
    <Form form={form} actions={<FormButtons action={texts.create} form={form} onClose={onClose} />}>
      <ScopeChoice value={values.scope} onChoose={set('scope')} />
      {values.scope === 'manage' && (
        <Segments
          label={texts.access}
          options={(['read', 'write'] as const).map((value) => ({ value, title: texts.accesses[value] }))}
          value={values.access}
          onChoose={set('access')}
        />
      )}
      <TextField
        label={texts.name}
        hint={texts.nameWhy}
        {...form.field('name')}
        input={{ autocomplete: 'off', dir: 'auto' }}
      />
      <ExpiryFields form={form} />
    </Form>
  );
}

function ExpiryFields({ form }: { form: FormState<Values> }) {
  const texts = useTexts(keysTexts);
  const { values, set } = form;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <>
      <SelectField
        label={texts.expiry}
        hint={texts.expiryWhy}
        options={(['never', 'd30', 'd90', 'd365', 'own'] as const).map((value) => ({
          ...{ value, title: texts.expiries[value] },
        }))}
        value={values.expiry}
        onChoose={set('expiry')}
      />
      {values.expiry === 'own' && (
        <TimeField
          label={texts.expiresAt}
          hint={texts.expiresWhere({ zone })}
          {...form.field('expiresAt')}
          zone={zone}
        />
      )}
    </>
  );
}

function bodyOf({ scope, access, name, expiry, expiresAt }: Values, now: number): object {
  const until =
    expiry === 'never'
      ? undefined
      : expiry === 'own'
        ? expiresAt
        : new Date(now + daysOf[expiry] * 86_400_000).toISOString();
  return {
    ...{ scope, name: name.trim() },
    ...(scope === 'manage' && { access }),
    ...(until !== undefined && { expiresAt: until }),
  };
}

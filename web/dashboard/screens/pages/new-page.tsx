import { useContext, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ManagedPage } from '../../../../contract/manage/pages.js';
import type { CreatedManagedInvitation } from '../../../../contract/manage/people.js';
import type { Me } from '../../../../contract/manage/session.js';
import { proposeSlug } from '../../../../lib/slug.js';
import { SelectField } from '../../kit/form/choices.js';
import { TextField } from '../../kit/form/field.js';
import { Form } from '../../kit/form/form.js';
import { SubmitButton } from '../../kit/form/form-buttons.js';
import { type FormState, useForm } from '../../kit/form/use-form.js';
import { useLanguageName } from '../../kit/language-name.js';
import { Panel } from '../../kit/panel.js';
import { SecretDialog } from '../../kit/secret.js';
import { pagePath } from '../../reads/api-path.js';
import { fetchJson, type ReadError, sendJson } from '../../reads/fetch-json.js';
import { useSession } from '../../session.js';
import { pathOfScreen } from '../../shell/screens.js';
import { LanguageContext, useTexts } from '../../texts.js';
import { pagesTexts } from './texts.js';

/** A slug and a host name that are empty follow from the name. */
type Values = {
  name: string;
  slug: string;
  language: string;
  timeZone: string;
  hostname: string;
  email: string;
};

/** A page that was created, and the link of its first owner when somebody was invited. */
type Made = { slug: string; link?: string };

/** The languages that public pages have their own texts in. */
const tags = ['en', 'de', 'es', 'fr', 'ja'] as const;
const input = { autocomplete: 'off', spellcheck: false } as const;

/** Creates a page under a name of one's own, and goes on to it. */
export function NewPage() {
  const texts = useTexts(pagesTexts).create;
  const open = useOpenPage();
  const [made, setMade] = useState<Made>();
  const { form, created } = usePageForm((page) =>
    page.link === undefined ? open(page.slug) : setMade(page),
  );
  return (
    <Panel title={texts.title} note={created === undefined ? texts.why : texts.notInvited({ slug: created })}>
      <Form
        form={form}
        actions={<SubmitButton form={form}>{created === undefined ? texts.action : texts.goOn}</SubmitButton>}
      >
        {created === undefined && <NameFields form={form} />}
        {created === undefined && <HostnameField form={form} />}
        <OwnerField form={form} />
      </Form>
      {made?.link !== undefined && (
        <SecretDialog
          title={texts.invited}
          label={texts.link}
          secret={made.link}
          uses={[]}
          onClose={() => location.assign(pathOfScreen(made.slug, 'overview'))}
        />
      )}
    </Panel>
  );
}

type Fields = { form: FormState<Values> };

function NameFields({ form }: Fields) {
  const { values, set } = form;
  const texts = useTexts(pagesTexts).create;
  const nameOf = useLanguageName();
  const zones = [...new Set(['UTC', values.timeZone, ...Intl.supportedValuesOf('timeZone')])];
  return (
    <>
      <TextField
        label={texts.name}
        hint={texts.nameWhy}
        {...form.field('name')}
        input={{ dir: 'auto', maxLength: 200 }}
      />
      <TextField
        label={texts.slug}
        hint={texts.slugWhy}
        {...form.field('slug')}
        value={slugOf(values)}
        input={{ ...input, maxLength: 63 }}
      />
      <SelectField
        label={texts.language}
        hint={texts.languageWhy}
        options={tags.map((tag) => ({ value: tag, title: nameOf(tag) }))}
        value={values.language}
        onChoose={set('language')}
      />
      <SelectField
        label={texts.timeZone}
        hint={texts.timeZoneWhy}
        options={zones.map((zone) => ({ value: zone, title: zone.replaceAll('_', ' ') }))}
        value={values.timeZone}
        onChoose={set('timeZone')}
      />
    </>
  );
}

function HostnameField({ form }: Fields) {
  const texts = useTexts(pagesTexts).create;
  return (
    <TextField
      label={texts.hostname}
      hint={texts.hostnameWhy}
      {...form.field('hostname')}
      value={hostnameOf(form.values)}
      input={{ ...input, inputMode: 'url' }}
    />
  );
}

function OwnerField({ form }: Fields) {
  const texts = useTexts(pagesTexts).create;
  return (
    <TextField
      label={texts.owner}
      hint={texts.ownerWhy}
      {...form.field('email')}
      input={{ ...input, inputMode: 'email' }}
    />
  );
}

/** Goes on to a page that the list of one's pages does not have yet. */
function useOpenPage(): (slug: string) => Promise<void> {
  const { setMe } = useSession();
  const { route } = useLocation();
  return async (slug) => {
    const path = pathOfScreen(slug, 'overview');
    const me = await fetchJson<Me>('/api/v1/me').catch(() => 'unchanged' as const);
    // The page is there: a document that loads again knows it.
    if (me === 'unchanged') return location.assign(path);
    setMe(me.body);
    route(path);
  };
}

/** `created` is the slug of the page whose owner could not be invited yet: the form then asks for the owner alone. */
function usePageForm(onMade: (made: Made) => unknown): {
  form: FormState<Values>;
  created: string | undefined;
} {
  const texts = useTexts(pagesTexts).create;
  const shown = useContext(LanguageContext);
  // A reference: the attempt that has created the page also explains why the invitation was refused.
  const created = useRef<string>(undefined);
  const form = useForm<Values>({
    initial: {
      ...{ name: '', slug: '', hostname: '', email: '', language: shown },
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
    ...{ keptAs: 'page', required: ['name'] },
    check: (values): Record<string, string> =>
      /^[a-z0-9-]{1,63}$/.test(slugOf(values)) ? {} : { slug: texts.slugWrong },
    async send(values) {
      created.current ??= await createPage(values);
      const slug = created.current;
      await onMade({ slug, ...(await invite(slug, values.email.trim())) });
    },
    explain: (error) => (created.current === undefined ? undefined : aboutInvitation(error)),
  });
  return { form, created: created.current };
}

/** Returns its slug. */
async function createPage(values: Values): Promise<string> {
  const { name, language, timeZone } = values;
  const page = await sendJson<ManagedPage>('POST', '/api/v1/pages', {
    ...{ name: name.trim(), languages: [language], defaultLanguage: language, timeZone },
    ...{ slug: slugOf(values), hostname: hostnameOf(values) },
  });
  return page.slug;
}

async function invite(slug: string, email: string): Promise<{ link?: string }> {
  if (email === '') return {};
  const path = pagePath(slug, '/invitations');
  const { url } = await sendJson<CreatedManagedInvitation>('POST', path, { email, role: 'owner' });
  return { link: url };
}

/** Once the page is there, a refusal is about the invitation. */
function aboutInvitation({ status, message }: ReadError): Record<string, string> | undefined {
  return status === 409 || status === 400 ? { email: message } : undefined;
}

function slugOf({ slug, name }: Values): string {
  return slug || proposeSlug(name, 'page');
}

/** Below the host of the service, so that the page has an address before it has one of its own. */
function hostnameOf(values: Values): string {
  const slug = slugOf(values);
  if (values.hostname !== '' || slug === '') return values.hostname;
  const { hostname } = location;
  const isAddress = /^[\d.]+$|^\[|^localhost$/.test(hostname);
  return `${slug}.${isAddress ? 'localhost' : hostname}`;
}

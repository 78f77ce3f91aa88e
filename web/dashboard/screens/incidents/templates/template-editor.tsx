import type { ComponentChildren } from 'preact';
import type { Template } from '../../../../../contract/manage/incidents/templates.js';
import { proposeSlug } from '../../../../../lib/slug.js';
import { useAddress } from '../../../address/use-address.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { TextField } from '../../../kit/form/field.js';
import { Form } from '../../../kit/form/form.js';
import { useEditor } from '../../../kit/form/use-editor.js';
import { type FormState, useForm } from '../../../kit/form/use-form.js';
import { Icon } from '../../../kit/icons.js';
import { useLanguageName } from '../../../kit/language-name.js';
import { Panel } from '../../../kit/panel.js';
import { ReadView, Skeleton } from '../../../kit/states.js';
import { kitTexts } from '../../../kit/texts.js';
import { fetchJson, requestOf } from '../../../reads/fetch-json.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { PermittedButton, ReadOnlyNote } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { IncidentPreview } from '../preview/incident-preview.js';
import { TemplateFields } from './template-fields.js';
import { templatesTexts } from './texts.js';
import { useRemoveTemplate } from './use-remove-template.js';
import { templatePath, useLanguages } from './use-templates.js';
import { bodyOf, emptyTemplate, type TemplateValues, valuesOf } from './values.js';

/** A template that does not exist yet. */
export function NewTemplate() {
  const texts = useTexts(templatesTexts);
  const { slug: page } = usePage();
  const { choose } = useAddress();
  const form = useForm<TemplateValues>({
    ...{ initial: emptyTemplate, keptAs: 'template', required: ['name'] },
    check: (values) => (/^[a-z0-9-]{1,63}$/.test(slugOf(values)) ? {} : { slug: texts.slugWrong }),
    async send(values) {
      const slug = slugOf(values);
      // One that is there already stays.
      const headers = { 'content-type': 'application/json', 'if-none-match': '*' };
      await fetchJson(templatePath(page, slug), { ...requestOf('PUT', bodyOf(values)), headers });
      choose({ new: undefined, template: slug });
    },
    explain: ({ status }) => (status === 412 ? { slug: texts.slugTaken } : undefined),
  });
  return (
    <EditorPanel
      title={texts.newTemplate}
      form={form}
      actions={
        <PermittedButton permission="incidents.write" isBusy={form.isSending} onClick={form.submit}>
          {texts.create}
        </PermittedButton>
      }
    >
      <TextField
        label={texts.slug}
        hint={texts.slugWhy}
        {...form.field('slug')}
        value={slugOf(form.values)}
        input={{ autocomplete: 'off', spellcheck: false, maxLength: 63 }}
      />
    </EditorPanel>
  );
}

/** The name suggests one until somebody writes another one. */
function slugOf({ slug, name }: TemplateValues): string {
  return slug === '' ? proposeSlug(name, 'template') : slug;
}

/** A template that people may change at the same time. */
export function SavedTemplate({ slug }: { slug: string }) {
  const { slug: page } = usePage();
  const read = useRead<Template>(templatePath(page, slug));
  return (
    <ReadView read={read} skeleton={<Skeleton lines={9} />}>
      {(saved) => <TemplateForm {...{ read, saved }} />}
    </ReadView>
  );
}

function TemplateForm({ read, saved }: { read: Read<Template>; saved: Template }) {
  const texts = useTexts(templatesTexts);
  const kit = useTexts(kitTexts);
  const { slug: page } = usePage();
  const { path, to } = useAddress();
  const editor = useEditor<Template, TemplateValues>({
    ...{ path: templatePath(page, saved.slug), method: 'PUT', read, saved, valuesOf },
    bodyOf: (_, values) => bodyOf(values),
    ...{ keptAs: `template ${saved.slug}`, required: ['name'] },
  });
  const wordsOf = useWords();
  const remove = useRemoveTemplate(saved, read);
  const { may } = usePage();
  return (
    <>
      <EditorPanel
        title={saved.name}
        form={editor}
        headActions={
          <>
            {may('incidents.write') && (
              <a class="button small" href={to(path, { new: saved.type, template: saved.slug })}>
                {texts.use}
              </a>
            )}
            <PermittedButton
              permission="incidents.write"
              class="button small"
              isBusy={remove.isSending}
              onClick={() => remove.run()}
            >
              <Icon name="trash" />
              {texts.remove}
            </PermittedButton>
          </>
        }
        actions={
          <>
            <PermittedButton permission="incidents.write" isBusy={editor.isSending} onClick={editor.submit}>
              {kit.save}
            </PermittedButton>
            {editor.isChanged && (
              <button type="button" class="button small" onClick={editor.discard}>
                {kit.discard}
              </button>
            )}
          </>
        }
      >
        <TextField label={texts.slug} value={saved.slug} onInput={() => {}} input={{ readOnly: true }} />
      </EditorPanel>
      <ConflictDialog
        editor={editor}
        labels={{ ...texts, monitorSlugs: texts.monitors, texts: texts.translations }}
        textOf={wordsOf}
      />
    </>
  );
}

/** The values of fields as people write them. */
function useWords() {
  const texts = useTexts(templatesTexts);
  const nameOf = useLanguageName();
  const inLanguages = (own: Readonly<Record<string, string>>) =>
    Object.entries(own).map(([tag, text]) => `${nameOf(tag)}: ${text}`);
  return (field: keyof TemplateValues, value: TemplateValues[keyof TemplateValues]): string => {
    if (field === 'type') return texts.types[value as TemplateValues['type']]; // The value of that field.
    if (typeof value === 'string') return value;
    if (!Array.isArray(value)) {
      const own = Object.entries(value).map(([tag, { title, summary }]) => [tag, `${title}\n${summary}`]);
      return inLanguages(Object.fromEntries(own)).join('\n');
    }
    const lines = value.map((one) =>
      typeof one === 'string'
        ? one
        : [`${texts.statuses[one.status]}: ${one.body}`, ...inLanguages(one.texts)].join('\n'),
    );
    return lines.join('\n');
  };
}

type PanelProps = {
  title: string;
  form: FormState<TemplateValues>;
  /** Beside the title. */
  headActions?: ComponentChildren;
  /** Below the fields. */
  actions: ComponentChildren;
  /** The address. */
  children: ComponentChildren;
};

/** The fields of a template beside what they make. */
function EditorPanel({ title, form, headActions, actions, children }: PanelProps) {
  const texts = useTexts(templatesTexts);
  const kit = useTexts(kitTexts);
  const { may } = usePage();
  const { path, to } = useAddress();
  const page = useLanguages();
  const isReadOnly = !may('incidents.write');
  return (
    <>
      <p class="template-back">
        <a href={to(path, { view: 'templates' })}>{texts.back}</a>
      </p>
      <ReadView read={page} skeleton={<Skeleton lines={9} />}>
        {() => (
          <div class="template-editor">
            <Panel title={title} actions={headActions}>
              <ReadOnlyNote permission="incidents.write" />
              <Form form={form} done={form.isDone ? kit.saved : undefined} actions={actions}>
                <TemplateFields
                  form={form}
                  languages={page.languages?.slice(1) ?? []}
                  isReadOnly={isReadOnly}
                >
                  <TextField
                    label={texts.name}
                    hint={texts.nameWhy}
                    {...form.field('name')}
                    input={{ dir: 'auto', maxLength: 100, autocomplete: 'off' }}
                  />
                  {children}
                </TemplateFields>
              </Form>
            </Panel>
            {!isReadOnly && (
              <Panel title={kit.preview}>
                <IncidentPreview draft={draftOf(form.values)} languages={page.languages ?? []} />
              </Panel>
            )}
          </div>
        )}
      </ReadView>
    </>
  );
}

function draftOf({ type, title, summary, monitorSlugs, texts }: TemplateValues) {
  return { type, title, summary, monitorSlugs, texts };
}

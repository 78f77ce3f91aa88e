import type { MonitorGroup } from '../../../../../contract/manage/monitor-groups.js';
import type { ManagedPage } from '../../../../../contract/manage/pages.js';
import { proposeSlug } from '../../../../../lib/slug.js';
import { Dialog } from '../../../kit/dialog.js';
import { Switch } from '../../../kit/form/choices.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { TextField } from '../../../kit/form/field.js';
import { Form } from '../../../kit/form/form.js';
import { SubmitButton } from '../../../kit/form/form-buttons.js';
import { useEditor } from '../../../kit/form/use-editor.js';
import { type FormState, useForm } from '../../../kit/form/use-form.js';
import { useLanguageName } from '../../../kit/language-name.js';
import { showNotice } from '../../../kit/notice.js';
import { ReadView } from '../../../kit/states.js';
import { kitTexts } from '../../../kit/texts.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { useTexts } from '../../../texts.js';
import { orderTexts } from './texts.js';

type Names = { name: string; names: Readonly<Record<string, string>>; collapsed: boolean };
type DialogProps = { page: string; onDone(): void; onClose(): void };

/** The path of one group in the management API. */
export function groupPath(page: string, slug: string): string {
  return pagePath(page, `/groups/${encodeURIComponent(slug)}`);
}

/** Asks for the names and looks of a group that does not exist yet. `taken` are the slugs of the others. */
export function NewGroupDialog({ page, taken, onDone, onClose }: DialogProps & { taken: readonly string[] }) {
  const texts = useTexts(orderTexts);
  const slugOf = ({ slug, name }: { slug: string; name: string }) => slug || proposeSlug(name, 'group');
  const form = useForm({
    initial: { name: '', names: {} as Names['names'], collapsed: false, slug: '' },
    ...{ keptAs: `group:${page}`, required: ['name'] },
    check(values) {
      const slug = slugOf(values);
      if (taken.includes(slug)) return { slug: texts.slugTaken };
      return /^[a-z0-9-]{1,63}$/.test(slug) ? {} : { slug: texts.slugWrong };
    },
    async send(values) {
      const { name, names, collapsed } = values;
      const body = { name: name.trim(), names, collapsed };
      await sendJson('PUT', groupPath(page, slugOf(values)), body, { isNew: true });
      showNotice(texts.created({ name: name.trim() }));
      onDone();
    },
    explain: ({ status }) => (status === 412 ? { slug: texts.slugTaken } : undefined),
  });
  return (
    <Dialog title={texts.newGroup} onClose={onClose}>
      <GroupForm form={form} page={page} action={texts.create}>
        <TextField
          label={texts.slug}
          hint={texts.slugWhy}
          {...form.field('slug')}
          value={slugOf(form.values)}
          input={{ autocomplete: 'off', spellcheck: false, maxLength: 63 }}
        />
      </GroupForm>
    </Dialog>
  );
}

/** Changes the names of a group, which somebody else may change at the same time. */
export function EditGroupDialog({ slug, ...dialog }: DialogProps & { slug: string }) {
  const texts = useTexts(orderTexts);
  const read = useRead<MonitorGroup>(groupPath(dialog.page, slug));
  return (
    <Dialog title={texts.editGroup} onClose={dialog.onClose}>
      <ReadView read={read}>{(saved) => <SavedGroup {...{ read, saved }} {...dialog} />}</ReadView>
    </Dialog>
  );
}

type SavedProps = Omit<DialogProps, 'onClose'> & { read: Read<MonitorGroup>; saved: MonitorGroup };

function SavedGroup({ page, read, saved, onDone }: SavedProps) {
  const texts = useTexts(orderTexts);
  const kit = useTexts(kitTexts);
  const nameOf = useLanguageName();
  const editor = useEditor<MonitorGroup, Names>({
    ...{ path: groupPath(page, saved.slug), method: 'PUT', read, saved },
    ...{ keptAs: `group:${page}:${saved.slug}`, required: ['name'] },
    valuesOf: ({ name, names, collapsed }) => ({ name, names, collapsed }),
    bodyOf: (_, { name, names, collapsed }) => ({ name: name.trim(), names, collapsed }),
    onSaved() {
      showNotice(kit.saved);
      onDone();
    },
  });
  return (
    <>
      <GroupForm form={editor} page={page} action={kit.save} />
      <ConflictDialog
        editor={editor}
        labels={{ name: texts.name, names: texts.otherNames, collapsed: texts.collapsed }}
        textOf={(_, value) => {
          if (typeof value === 'boolean') return value ? texts.isCollapsed : texts.isOpen;
          if (typeof value === 'string') return value;
          return Object.entries(value)
            .map(([tag, name]) => `${nameOf(tag)}: ${name}`)
            .join('\n');
        }}
      />
    </>
  );
}

type FormProps<V extends Names> = {
  form: FormState<V>;
  page: string;
  action: string;
  children?: preact.ComponentChildren;
};

function GroupForm<V extends Names>({ form, page, action, children }: FormProps<V>) {
  const texts = useTexts(orderTexts);
  const nameOf = useLanguageName();
  const { data } = useRead<ManagedPage>(pagePath(page, ''));
  const others = data?.languages.filter((tag) => tag !== data.defaultLanguage) ?? [];
  const { values, errors } = form;
  const setName: (name: string) => void = form.set('name');
  const setNames: (names: Names['names']) => void = form.set('names');
  const setCollapsed: (collapsed: boolean) => void = form.set('collapsed');
  return (
    <Form form={form} actions={<SubmitButton form={form}>{action}</SubmitButton>}>
      <TextField
        label={texts.name}
        hint={texts.nameWhy}
        value={values.name}
        onInput={setName}
        error={errors['name']}
        input={{ dir: 'auto', maxLength: 200 }}
      />
      {others.map((tag) => (
        <TextField
          key={tag}
          label={texts.nameIn({ language: nameOf(tag) })}
          hint={texts.nameInWhy}
          value={values.names[tag] ?? ''}
          onInput={(name) => {
            const { [tag]: _, ...rest } = values.names;
            setNames(name === '' ? rest : { ...rest, [tag]: name });
          }}
          error={errors['names']}
          input={{ dir: 'auto', maxLength: 200 }}
        />
      ))}
      <Switch
        label={texts.collapsed}
        hint={texts.collapsedWhy}
        isOn={values.collapsed}
        onSwitch={setCollapsed}
      />
      {children}
    </Form>
  );
}

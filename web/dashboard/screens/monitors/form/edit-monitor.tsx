import type { ManagedMonitor } from '../../../../../contract/manage/monitors.js';
import { isProbed } from '../../../../../contract/monitors.js';
import { useAddress } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { type Editor, useEditor } from '../../../kit/form/use-editor.js';
import { showNotice } from '../../../kit/notice.js';
import { ReadView, Skeleton } from '../../../kit/states.js';
import { kitTexts } from '../../../kit/texts.js';
import { pagePath } from '../../../reads/api-path.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { findProblems, wordRefusal } from './find-problems.js';
import { MonitorForm } from './monitor-form.js';
import { type FormTexts, formTexts } from './texts.js';
import { useRangeText } from './use-range-text.js';
import { useTrial } from './use-trial.js';
import { useTriedSave } from './use-tried-save.js';
import {
  bodyOfChange,
  type MonitorField,
  type MonitorValues,
  secretFields,
  targetFieldsOf,
  valuesOf,
} from './values.js';

/** The settings of a monitor that there is. */
export function EditMonitor({ slug }: { slug: string }) {
  const page = usePage();
  const read = useRead<ManagedMonitor>(pagePath(page.slug, `/monitors/${encodeURIComponent(slug)}`));
  return (
    <ReadView read={read} skeleton={<Skeleton lines={9} />}>
      {(monitor) => <Edit read={read} monitor={monitor} />}
    </ReadView>
  );
}

function Edit({ read, monitor }: { read: Read<ManagedMonitor>; monitor: ManagedMonitor }) {
  const page = usePage();
  const { path, to, replace } = useAddress();
  const texts = useTexts(formTexts);
  const kit = useTexts(kitTexts);
  const sayRange = useRangeText();
  const { slug, type: kind, hasSecrets = false } = monitor;
  const check = (values: MonitorValues) => findProblems(kind, values, texts, sayRange);
  const editor = useEditor<ManagedMonitor, MonitorValues>({
    path: pagePath(page.slug, `/monitors/${encodeURIComponent(slug)}`),
    ...{ read, saved: monitor, valuesOf, keptAs: `monitor ${slug}`, unkept: secretFields, check },
    bodyOf: (changes, values) => bodyOfChange(changes, values, monitor),
    word: (_, code) => wordRefusal(code, texts),
    onSaved() {
      replace({ edit: undefined });
      showNotice(kit.saved);
    },
  });
  const trial = useTrial(kind, editor.values, slug);
  const wrong = check(editor.values);
  const isTargetChanged = targetFieldsOf(kind).some((field) => field in editor.changes);
  const save = useTriedSave({
    form: editor,
    trial: isProbed(kind) && isTargetChanged ? trial : undefined,
    wrong,
  });
  return (
    <>
      <MonitorForm
        {...{ kind, form: editor, trial, save, wrong, isSaved: true, hasSavedSecrets: hasSecrets }}
        action={texts.save}
        actionAnyway={texts.saveAnyway}
        cancelPath={to(path, { monitor: slug })}
      />
      <Conflicts editor={editor} />
    </>
  );
}

function Conflicts({ editor }: { editor: Editor<MonitorValues> }) {
  const texts = useTexts(formTexts);
  const format = useFormat();
  return (
    <ConflictDialog
      editor={editor}
      labels={labelsOf(texts)}
      textOf={(field, value) => {
        if (field === 'group' && value === null) return texts.noGroup;
        if (value === null) return isSecret(field) ? texts.keptValue : '';
        if (field === 'body') return texts.hidden;
        if (typeof value === 'boolean') return value ? texts.isHidden : texts.isShown;
        if (typeof value === 'number' && field.endsWith('Seconds')) return format.span(value);
        if (typeof value === 'number' && field.endsWith('Ms')) return format.ms(value);
        if (field === 'dependsOn' && Array.isArray(value)) return value.join(', ');
        if (Array.isArray(value)) return value.map(({ name }) => `${name}: ${texts.hidden}`).join('\n');
        if (typeof value !== 'object') return String(value);
        return Object.entries(value)
          .map(([language, name]) => `${language}: ${name}`)
          .join('\n');
      }}
    />
  );
}

function isSecret(field: MonitorField): boolean {
  return secretFields.some((one) => one === field);
}

function labelsOf(texts: FormTexts): Record<MonitorField, string> {
  return {
    ...{ name: texts.name, slug: texts.slug, names: texts.names, group: texts.group, url: texts.url },
    ...{ everySeconds: texts.every, failuresToDown: texts.failures, timeoutMs: texts.timeout },
    ...{ method: texts.method, expectStatus: texts.expectStatus, expectBody: texts.expectBody },
    ...{ tlsExpiryDays: texts.tlsExpiryDays, headers: texts.headers, body: texts.body },
    ...{ periodSeconds: texts.period, graceSeconds: texts.grace, degradedOverMs: texts.degradedOver },
    ...{ hidden: texts.hide, link: texts.link, dependsOn: texts.dependsOn },
    ...{ description: texts.description, descriptions: texts.descriptions },
  };
}

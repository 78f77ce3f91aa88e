import { useLayoutEffect } from 'preact/hooks';
import type { UpdateStatus } from '../../../../../contract/incidents.js';
import { Switch } from '../../../kit/form/choices.js';
import { Form } from '../../../kit/form/form.js';
import { SubmitButton } from '../../../kit/form/form-buttons.js';
import { MarkdownField } from '../../../kit/form/markdown-field.js';
import { type FormState, useForm } from '../../../kit/form/use-form.js';
import { Icon } from '../../../kit/icons.js';
import { showNotice } from '../../../kit/notice.js';
import { Panel } from '../../../kit/panel.js';
import { fetchJson } from '../../../reads/fetch-json.js';
import { useTexts } from '../../../texts.js';
import { useAudience, usePeople } from '../audience.js';
import { textCharsMax } from '../limits.js';
import { OwnTranslations } from '../own-translations.js';
import { IncidentPreview } from '../preview/incident-preview.js';
import { publish } from '../publish.js';
import { incidentsTexts } from '../texts.js';
import { otherLanguages } from '../use-page-facts.js';
import type { Opened } from './opened.js';
import { StatusSteps } from './status-steps.js';
import { oneTexts } from './texts.js';
import { type Inline, useInline } from './use-inline.js';

/** Says what is known now. Where the incident is over, a button leads to it; what is entered stays in any case. */
export function PostUpdate(opened: Opened) {
  const { incident } = opened;
  const texts = useTexts(oneTexts);
  const keptAs = `new update ${incident.id}`;
  const inline = useInline(keptAs);
  const form = keepStatus(useUpdateForm(opened, keptAs, inline));
  const isOver = incident.state === 'resolved';
  useLayoutEffect(() => {
    // The button that ended it is gone.
    const isLost = document.activeElement === document.body;
    if (isOver && isLost) inline.box.current?.querySelector<HTMLElement>('.opens')?.focus();
  }, [isOver]);
  return (
    <div ref={inline.box}>
      {!isOver || inline.isOpen || form.isChanged ? (
        <UpdateForm {...opened} form={form} />
      ) : (
        <p class="incident-closed">
          <span class="note">{texts.closed}</span>
          <button type="button" class="button small opens" onClick={inline.open}>
            <Icon name="plus" />
            {texts.addLater}
          </button>
        </p>
      )}
    </div>
  );
}

type UpdateValues = {
  status: UpdateStatus;
  body: string;
  notify: boolean;
  /** Translations by the person, by language. */
  texts: Readonly<Record<string, string>>;
};

function UpdateForm({ form, ...opened }: Opened & { form: FormState<UpdateValues> }) {
  const { incident, page } = opened;
  const texts = useTexts(oneTexts);
  const { values } = form;
  const word = usePostWord(opened, values);
  const languages = page === undefined ? [] : otherLanguages(page);
  return (
    <Panel title={texts.post}>
      <Form form={form} actions={<SubmitButton form={form}>{word}</SubmitButton>}>
        <StatusSteps value={values.status} onChoose={form.set('status')} />
        <MarkdownField label={texts.message} {...form.field('body')} rows={4} maxLength={textCharsMax} />
        <Switch label={texts.tell} hint={texts.tellWhy} isOn={values.notify} onSwitch={form.set('notify')} />
        <OwnTranslations
          fields={['body']}
          languages={languages}
          values={Object.fromEntries(Object.entries(values.texts).map(([tag, body]) => [tag, { body }]))}
          onInput={(tag, _, text) => form.set('texts')({ ...values.texts, [tag]: text })}
        />
        {page !== undefined && values.body !== '' && (
          <details class="more-fields">
            <summary>{texts.preview}</summary>
            <IncidentPreview
              draft={{
                incidentId: incident.id,
                update: { status: values.status, body: values.body },
                texts: toTexts(values.texts),
              }}
              languages={[page.defaultLanguage, ...languages]}
            />
          </details>
        )}
      </Form>
    </Panel>
  );
}

/** The status that somebody began to write beside stays, whatever others post meanwhile. */
function keepStatus(form: FormState<UpdateValues>): FormState<UpdateValues> {
  const set: typeof form.set = (field) => (value) => {
    if (form.draft.edits.status === undefined) form.set('status')(form.values.status);
    form.set(field)(value);
  };
  return { ...form, set, field: (field) => ({ ...form.field(field), onInput: set(field) }) };
}

function useUpdateForm({ incident, path, read }: Opened, keptAs: string, inline: Inline) {
  const words = useTexts(oneTexts);
  const { publishedBefore } = useTexts(incidentsTexts);
  const status = incident.updates.at(-1)?.status ?? 'investigating';
  return useForm<UpdateValues>({
    initial: { status, body: '', notify: true, texts: {} },
    keptAs,
    required: ['body'],
    async send({ texts, ...given }, { key: publishKey }) {
      const translated = toTexts(texts);
      const hasTexts = Object.keys(translated).length > 0;
      const body = { ...given, ...(hasTexts && { texts: translated }) };
      await publish(`${path}/updates`, body, { publishKey, publishedBefore });
      showNotice(
        given.status === 'resolved' && incident.state !== 'resolved'
          ? words.resolvedNow[incident.type]
          : words.posted,
      );
      inline.close();
      // It is posted: where this read fails, the next one shows it.
      fetchJson<Opened['incident']>(path).then(
        (answer) => answer !== 'unchanged' && read.take(answer),
        () => undefined,
      );
    },
  });
}

/** Returns the words of the button, with the number of people who are notified. */
function usePostWord({ incident }: Opened, { status, notify }: UpdateValues): string {
  const texts = useTexts(oneTexts);
  const resolves = status === 'resolved' && incident.state !== 'resolved';
  const people = usePeople(useAudience(`${incident.type}.${resolves ? 'resolved' : 'update_posted'}`));
  if (!notify || people === undefined) return resolves ? texts.resolveQuietly : texts.postQuietly;
  return resolves ? texts.resolveTelling({ people }) : texts.postTelling({ people });
}

function toTexts(texts: Readonly<Record<string, string>>): Record<string, { body: string }> {
  const written = Object.entries(texts).filter(([, body]) => body.trim() !== '');
  return Object.fromEntries(written.map(([tag, body]) => [tag, { body }]));
}

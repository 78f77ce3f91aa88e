import type { Postmortem as PostmortemJson } from '../../../../../contract/manage/incidents/postmortems.js';
import { postmortemLimits } from '../../../../../contract/manage/incidents/postmortems.js';
import { Form } from '../../../kit/form/form.js';
import { EditActions } from '../../../kit/form/form-buttons.js';
import { MarkdownField } from '../../../kit/form/markdown-field.js';
import { useForm } from '../../../kit/form/use-form.js';
import { Icon } from '../../../kit/icons.js';
import { useLanguageName } from '../../../kit/language-name.js';
import { MarkdownText } from '../../../kit/markdown-text.js';
import { showNotice } from '../../../kit/notice.js';
import { Panel } from '../../../kit/panel.js';
import { ReadView } from '../../../kit/states.js';
import { kitTexts } from '../../../kit/texts.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { otherLanguages } from '../use-page-facts.js';
import type { Opened } from './opened.js';
import { postmortemTexts } from './postmortem-texts.js';
import { useInline } from './use-inline.js';

/** The postmortem of an incident that is over, and its editor. */
export function Postmortem(opened: Opened) {
  const { incident, path } = opened;
  const { may } = usePage();
  const { hasPostmortem } = incident;
  const read = useRead<PostmortemJson>(hasPostmortem ? `${path}/postmortem` : undefined);
  if (incident.resolvedAt === null || (!hasPostmortem && !may('incidents.write'))) return null;
  return hasPostmortem ? (
    <ReadView read={read}>{(saved) => <Part {...opened} saved={saved} ownRead={read} />}</ReadView>
  ) : (
    <Part {...opened} saved={undefined} ownRead={read} />
  );
}

type PartProps = Opened & { saved: PostmortemJson | undefined; ownRead: Read<PostmortemJson> };

function Part(props: PartProps) {
  const { incident, saved } = props;
  const texts = useTexts(postmortemTexts);
  const keptAs = `postmortem ${incident.id}`;
  const inline = useInline(keptAs);
  return (
    <Panel title={texts.title}>
      <div ref={inline.box}>
        {inline.isOpen ? (
          <PostmortemForm {...props} keptAs={keptAs} onClose={inline.close} />
        ) : (
          <>
            {saved === undefined ? (
              <p class="note">{texts.none}</p>
            ) : (
              <MarkdownText class="incident-summary" text={saved.body} />
            )}
            <div class="form-actions">
              <PermittedButton permission="incidents.write" class="button small opens" onClick={inline.open}>
                <Icon name="edit" />
                {saved === undefined ? texts.write : texts.edit}
              </PermittedButton>
              {saved !== undefined && <DeleteButton {...props} saved={saved} />}
            </div>
          </>
        )}
      </div>
    </Panel>
  );
}

type FormProps = PartProps & { keptAs: string; onClose(): void };

function PostmortemForm({ path, read, page, saved, ownRead, keptAs, onClose }: FormProps) {
  const texts = useTexts(postmortemTexts);
  const kit = useTexts(kitTexts);
  const nameOf = useLanguageName();
  const byPeople = Object.entries(saved?.texts ?? {}).filter(([, { translated }]) => translated === 'person');
  const form = useForm({
    initial: {
      body: saved?.body ?? '',
      texts: Object.fromEntries(byPeople.map(([language, { text }]) => [language, text])),
    },
    ...{ etag: ownRead.etag, keptAs, required: ['body'] },
    async send({ body, texts: own }, { base }) {
      const written = Object.entries(own).filter(([, text]) => text.trim() !== '');
      const condition = saved === undefined ? { isNew: true } : { ifMatch: base?.etag ?? ownRead.etag };
      await sendJson('PUT', `${path}/postmortem`, { body, texts: Object.fromEntries(written) }, condition);
      showNotice(saved === undefined ? texts.published : kit.saved);
      read.retry();
      ownRead.retry();
      onClose();
    },
    explain: ({ status }) => (status === 412 ? { body: texts.changed } : undefined),
    fieldOf: (field) => (field.startsWith('texts') ? 'texts' : field),
  });
  const { values, errors, set } = form;
  return (
    <Form
      form={form}
      actions={
        <EditActions form={form} action={saved === undefined ? texts.publish : kit.save} onClose={onClose} />
      }
    >
      <p class="note">{texts.why}</p>
      <MarkdownField
        label={texts.body}
        {...form.field('body')}
        rows={14}
        maxLength={postmortemLimits.bodyChars}
      />
      {page !== undefined &&
        otherLanguages(page).map((language) => (
          <MarkdownField
            key={language}
            label={texts.bodyIn({ language: nameOf(language) })}
            value={values.texts[language] ?? ''}
            onInput={(text) => set('texts')({ ...values.texts, [language]: text })}
            error={errors['texts']}
            rows={4}
            maxLength={postmortemLimits.bodyChars}
          />
        ))}
    </Form>
  );
}

/** The text is gone at once; for a while, a notice brings it back. */
function DeleteButton({ path, read, saved, ownRead }: PartProps & { saved: PostmortemJson }) {
  const texts = useTexts(postmortemTexts);
  const own = Object.entries(saved.texts).filter(([, { translated }]) => translated === 'person');
  const restore = (): void => {
    const body = {
      body: saved.body,
      texts: Object.fromEntries(own.map(([language, { text }]) => [language, text])),
    };
    sendJson('PUT', `${path}/postmortem`, body, { isNew: true }).then(
      () => read.retry(),
      () => showNotice(texts.notRestored, restore),
    );
  };
  return (
    <PermittedButton
      permission="incidents.write"
      class="button small"
      onClick={() => {
        sendJson('DELETE', `${path}/postmortem`, undefined, { ifMatch: ownRead.etag }).then(
          () => {
            showNotice(texts.deleted, restore);
            read.retry();
          },
          () => {
            showNotice(texts.notDeleted);
            ownRead.retry();
          },
        );
      }}
    >
      {texts.delete}
    </PermittedButton>
  );
}

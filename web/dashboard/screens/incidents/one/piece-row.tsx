import { useState } from 'preact/hooks';
import type { ManagedIncident } from '../../../../../contract/manage/incidents/incidents.js';
import { Badge } from '../../../kit/badge.js';
import { Switch } from '../../../kit/form/choices.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { TextField } from '../../../kit/form/field.js';
import { Form } from '../../../kit/form/form.js';
import { EditActions } from '../../../kit/form/form-buttons.js';
import { MarkdownField } from '../../../kit/form/markdown-field.js';
import { useEditor } from '../../../kit/form/use-editor.js';
import { useLanguageName } from '../../../kit/language-name.js';
import { MarkdownText } from '../../../kit/markdown-text.js';
import { showNotice } from '../../../kit/notice.js';
import { kitTexts } from '../../../kit/texts.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { useAudience, usePeople } from '../audience.js';
import { textCharsMax, titleCharsMax } from '../limits.js';
import type { Opened } from './opened.js';
import { oneTexts } from './texts.js';
import { useInline } from './use-inline.js';

/** A text of an incident: its title, its summary, or the update with this id. */
export type Piece = { key: string; title: string; original: string };

type PieceProps = Opened & { language: string; piece: Piece };

/** A text, its translation and who made that, and the editor of the translation. */
export function PieceRow(props: PieceProps) {
  const { incident, language, piece } = props;
  const texts = useTexts(oneTexts);
  const name = useLanguageName()(language);
  const found = textIn(incident, language, piece.key);
  const keptAs = `text ${incident.id} ${language} ${piece.key}`;
  const inline = useInline(keptAs);
  const label = found === undefined ? texts.writeText : texts.correctText;
  return (
    <li>
      <div class="piece" ref={inline.box}>
        <div class="piece-head">
          <h3>{piece.title}</h3>
          <Origin translated={found?.translated} />
          {!inline.isOpen && (
            <PermittedButton
              permission="incidents.write"
              class="link-button opens"
              label={label({ what: piece.title, language: name })}
              onClick={inline.open}
            >
              {found === undefined ? texts.write : texts.correct}
            </PermittedButton>
          )}
        </div>
        <PieceText piece={piece} class="piece-original" text={piece.original} />
        {inline.isOpen ? (
          <PieceEditor {...props} keptAs={keptAs} onClose={inline.close} />
        ) : (
          found !== undefined && (
            <PieceText piece={piece} class="piece-text" lang={language} text={found.text} />
          )
        )}
      </div>
    </li>
  );
}

type PieceTextProps = { piece: Piece; class: string; text: string; lang?: string };

/** A title has no Markdown. */
function PieceText({ piece, ...text }: PieceTextProps) {
  if (piece.key !== 'title') return <MarkdownText {...text} />;
  return (
    <p class={text.class} lang={text.lang} dir="auto">
      {text.text}
    </p>
  );
}

function Origin({ translated }: { translated: 'machine' | 'person' | null | undefined }) {
  const texts = useTexts(oneTexts);
  if (translated === 'person') return <Badge tone="good">{texts.person}</Badge>;
  if (translated === 'machine') return <Badge tone="info">{texts.machine}</Badge>;
  return <Badge tone="warn">{texts.missing}</Badge>;
}

function PieceEditor(props: PieceProps & { keptAs: string; onClose(): void }) {
  const { incident, read, path, language, piece, keptAs, onClose } = props;
  const texts = useTexts(oneTexts);
  const kit = useTexts(kitTexts);
  const name = useLanguageName()(language);
  const [isTold, setTold] = useState(false);
  const people = usePeople(useAudience(`${incident.type}.updated`));
  const editor = useEditor<ManagedIncident, { text: string }>({
    path: `${path}/texts/${encodeURIComponent(language)}`,
    ...{ method: 'PUT', wholePath: path, read, saved: incident, keptAs },
    required: ['text'],
    valuesOf: (saved) => ({ text: textIn(saved, language, piece.key)?.text ?? '' }),
    bodyOf: (_, { text }) => ({ ...bodyOf(piece.key, text), notify: isTold }),
    onSaved() {
      showNotice(kit.saved);
      onClose();
    },
  });
  const field = {
    label: texts.translation({ language: name }),
    value: editor.values.text,
    onInput: editor.set('text'),
    error: editor.errors['text'] ?? editor.errors[piece.key],
  };
  return (
    <Form form={editor} actions={<EditActions form={editor} onClose={onClose} />}>
      {piece.key === 'title' ? (
        <TextField
          {...field}
          input={{ dir: 'auto', maxLength: titleCharsMax, autocomplete: 'off', class: 'wide' }}
        />
      ) : (
        <MarkdownField {...field} maxLength={textCharsMax} />
      )}
      <Switch
        label={texts.notifyText}
        hint={people === undefined ? texts.nobodyAsked : texts.notifyTextWhy({ people })}
        isOn={isTold}
        onSwitch={setTold}
      />
      <ConflictDialog editor={editor} labels={{ text: field.label }} />
    </Form>
  );
}

function bodyOf(key: string, text: string): object {
  if (key === 'title' || key === 'summary') return { [key]: text };
  return { updates: [{ id: key, body: text }] };
}

type Found = { text: string; translated: 'machine' | 'person' | null };

function textIn({ texts }: ManagedIncident, language: string, key: string): Found | undefined {
  const found = texts[language];
  if (key === 'title' || key === 'summary') return found?.[key] ?? undefined;
  const update = found?.updates.find(({ id }) => id === key);
  return update && { text: update.body, translated: update.translated };
}

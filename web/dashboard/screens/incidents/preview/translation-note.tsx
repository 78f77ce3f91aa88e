import { useContext } from 'preact/hooks';
import type { IncidentPreview } from '../../../../../contract/manage/incidents/incident-preview.js';
import { Icon } from '../../../kit/icons.js';
import { useLanguageName } from '../../../kit/language-name.js';
import { LanguageContext, useTexts } from '../../../texts.js';
import { previewTexts } from './texts.js';

type NoteProps = {
  preview: Pick<IncidentPreview, 'translated'>;
  /** The language in which people write. */
  source: string;
};

const parts = ['title', 'summary', 'update'] as const;

/** Who translated what the preview shows; people may correct the machine. */
export function TranslationNote({ preview: { translated }, source }: NoteProps) {
  const texts = useTexts(previewTexts);
  const language = useContext(LanguageContext);
  const nameOf = useLanguageName();
  const list = new Intl.ListFormat(language, { type: 'conjunction' });
  const namesOf = (by: 'machine' | 'none') =>
    list.format(parts.filter((part) => translated[part] === by).map((part) => texts.parts[part]));
  const [machine, none] = [namesOf('machine'), namesOf('none')];
  return (
    <div class="translation-note" role="status">
      {machine !== '' && (
        <p class="by-machine">
          <Icon name="info" />
          {texts.machine({ parts: machine })}
        </p>
      )}
      {none !== '' && (
        <p>
          <Icon name="warning" />
          {texts.none({ parts: none, language: nameOf(source) })}
        </p>
      )}
      {machine === '' && none === '' && (
        <p>
          <Icon name="check" />
          {texts.person}
        </p>
      )}
    </div>
  );
}
